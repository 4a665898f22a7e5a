/** The size of every picture for link previews, in pixels. */
export const shareSize = { width: 1200, height: 630 };

/** The address of a page's picture for link previews, by the page's path. */
export function shareImage(_pathname: string): string {
  return "/images/share.png";
}

/** What the picture shows, in words; undefined where it is the picture of the whole site. */
export function shareAlt(_pathname: string): string | undefined {
  return undefined;
}
