import { previewAddress } from "./preview-url.ts";

/** Follows a link after a click; framed content could trigger this, too. */
function follow(address: string | null, how: { download: string } | { target: string }): void {
  if (address === null || !navigator.userActivation.isActive) return;
  const link = document.createElement("a");
  Object.assign(link, { href: address, rel: "noopener", ...how });
  link.click();
}

/** Saves a file of a preview, which browsers don't show in a frame with an opaque origin. */
export function downloadFile(previewUrl: string, path: string): void {
  follow(previewAddress(previewUrl, path, location.href), { download: "" });
}

/** The public address of a file on the live site; null if it isn't a PDF. */
export function liveFile(path: string, base: string): string | null {
  const address = previewAddress("/", path, base);
  return address !== null && /\.pdf$/i.test(new URL(address).pathname) ? address : null;
}

/** Opens a file of the live site at its public address in a new tab. */
export function openLiveFile(path: string): void {
  follow(liveFile(path, location.href), { target: "_blank" });
}
