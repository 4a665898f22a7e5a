/** Device sizes for previews; height null fills the frame. */
export const devices = {
  phone: { label: "Phone", width: 390, height: 844 },
  tablet: { label: "Tablet", width: 768, height: 1024 },
  full: { label: "Full", width: null, height: null },
} as const;

export type Device = keyof typeof devices;

/** The sizes as options. */
export const deviceOptions = (Object.keys(devices) as Device[]).map((value) => ({
  value,
  label: devices[value].label,
}));

/**
 * The address of a page within a preview: `/about/` in `/_preview/<id>/` is
 * `/_preview/<id>/about/`. A path can't lead out of the preview; addresses that aren't http(s) are
 * null.
 */
export function previewAddress(previewUrl: string, path: string, base: string): string | null {
  let root: URL;
  try {
    root = new URL(previewUrl.endsWith("/") ? previewUrl : `${previewUrl}/`, base);
  } catch {
    return null;
  }
  if (root.protocol !== "http:" && root.protocol !== "https:") return null;
  const page = new URL(path.replace(/^[/\\]+/, "/"), "http://page.invalid/");
  const inside = page.host === "page.invalid" ? page : new URL("http://page.invalid/");
  root.pathname = root.pathname + inside.pathname.slice(1);
  root.search = inside.search;
  root.hash = inside.hash;
  return root.href;
}

/** The scale that makes a device fit, at most 1. */
export function scaleToFit(device: Device, width: number, height: number): number {
  const size = devices[device];
  if (size.width === null || width <= 0 || height <= 0) return 1;
  return Math.min(1, width / size.width, height / size.height);
}
