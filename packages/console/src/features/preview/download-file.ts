import { previewAddress } from "./preview-url.ts";

/** Follows a link for somebody who has just clicked: what is framed could say so by itself. */
function follow(address: string | null, how: { download: string } | { target: string }): void {
  if (address === null || !navigator.userActivation.isActive) return;
  const link = document.createElement("a");
  Object.assign(link, { href: address, rel: "noopener", ...how });
  link.click();
}

/** Saves a file of a preview, which no browser shows: its addresses have no origin. */
export function downloadFile(previewUrl: string, path: string): void {
  follow(previewAddress(previewUrl, path, location.href), { download: "" });
}

/** The address at which visitors find a file of the live site; null for what is no PDF. */
export function liveFile(path: string, base: string): string | null {
  const address = previewAddress("/", path, base);
  return address !== null && /\.pdf$/i.test(new URL(address).pathname) ? address : null;
}

/** Opens a file of the live site where visitors find it, in a tab of its own. */
export function openLiveFile(path: string): void {
  follow(liveFile(path, location.href), { target: "_blank" });
}
