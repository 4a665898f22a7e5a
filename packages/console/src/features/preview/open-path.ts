import { previewAddress } from "./preview-url.ts";

/**
 * Navigates a frame to another page of its preview. The page itself can't, because its opaque
 * origin sends no session, which previews need.
 */
export function openPath(frame: HTMLIFrameElement, previewUrl: string, path: string): void {
  const address = previewAddress(previewUrl, path, location.href);
  if (address !== null && frame.contentWindow) frame.contentWindow.location.href = address;
}
