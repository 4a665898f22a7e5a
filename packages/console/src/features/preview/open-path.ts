import { previewAddress } from "./preview-url.ts";

/**
 * Leads a frame to another page of its preview. The page in the frame can't: it has an origin of its
 * own, with which the browser sends no session, and previews are for the session alone.
 */
export function openPath(frame: HTMLIFrameElement, previewUrl: string, path: string): void {
  const address = previewAddress(previewUrl, path, location.href);
  if (address !== null && frame.contentWindow) frame.contentWindow.location.href = address;
}
