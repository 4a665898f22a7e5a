/** What the loader has put into the page, for the overlay to stand in. */
export interface MountPoint {
  root: ShadowRoot;
  box: HTMLElement;
  launcher: HTMLButtonElement;
}
