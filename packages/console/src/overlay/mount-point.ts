/** The loader's elements in which the overlay is mounted. */
export interface MountPoint {
  root: ShadowRoot;
  box: HTMLElement;
  launcher: HTMLButtonElement;
}
