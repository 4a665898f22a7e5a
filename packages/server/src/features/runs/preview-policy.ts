import { frameSources } from "./preview-frame.ts";

/**
 * Restricts a document's connections beyond its policy: this includes navigation, WebRTC,
 * preconnections, and name lookups, which a Content-Security-Policy doesn't
 * (https://wicg.github.io/connection-allowlists/). Browsers without support ignore it.
 */
const connectionAllowlist = "(response-origin)";

/**
 * Features that access the user or the network; denied to frames, too (Permissions Policy, 5).
 * Browsers warn about those they don't know.
 */
const deniedFeatures = [
  "browsing-topics",
  "camera",
  "clipboard-read",
  "clipboard-write",
  "display-capture",
  "geolocation",
  "hid",
  "identity-credentials-get",
  "local-fonts",
  "microphone",
  "midi",
  "payment",
  "publickey-credentials-create",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "storage-access",
  "usb",
  "window-management",
  "xr-spatial-tracking",
];

/** Maximum inline scripts whose hashes fit into a header: clients accept 16 KiB. */
const maxInlineScripts = 100;

function ownFiles(origins: readonly string[], id: string): string {
  return origins.map((origin) => `${origin}/_preview/${id}/`).join(" ");
}

/**
 * The policy of a previewed page. An agent wrote it and nobody has approved it, but it is shown on
 * the admin's own origin. So it gets an opaque origin (`sandbox` without `allow-same-origin`), may
 * load only from its own prefix, and may not submit forms, open windows, embed frames, or start
 * workers. Inline scripts are allowed by hash, as when published, so handlers, `javascript:`
 * addresses, and speculation rules added at run time do nothing.
 */
export function previewPolicy(
  origins: readonly string[],
  id: string,
  inlineScripts: readonly string[],
): string {
  const own = ownFiles(origins, id);
  const hashes = inlineScripts.slice(0, maxInlineScripts).map((source) => `'${source}' `);
  return [
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src ${own} ${hashes.join("")}'wasm-unsafe-eval'`,
    `style-src ${own} 'unsafe-inline'`,
    `img-src ${own} data:`,
    `font-src ${own} data:`,
    `media-src ${own}`,
    `connect-src ${own}`,
    `manifest-src ${own}`,
    "form-action 'none'",
    "frame-src 'none'",
    "worker-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}

/**
 * The policy of any other file opened as a document, such as SVG or XML: it may only render itself.
 */
export function previewFilePolicy(origins: readonly string[], id: string): string {
  const own = ownFiles(origins, id);
  return [
    "sandbox",
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src ${own} data:`,
    `media-src ${own}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}

/** The headers of every response below /_preview; pages need `previewPolicy` as well. */
export function previewHeaders(
  origins: readonly string[],
  id: string,
  ticketed: boolean,
): Record<string, string> {
  return {
    "content-security-policy": previewFilePolicy(origins, id),
    "connection-allowlist": connectionAllowlist,
    "permissions-policy": deniedFeatures.map((feature) => `${feature}=()`).join(", "),
    "cache-control": "private, no-store",
    "x-content-type-options": "nosniff",
    "x-dns-prefetch-control": "off",
    "referrer-policy": "no-referrer",
    // With an opener policy, a sandboxed page is a network error (HTML standard, 7.1.3).
    "cross-origin-opener-policy": "unsafe-none",
    "x-robots-tag": "noindex, nofollow",
    // A page without an origin is cross-origin even to its own fonts and modules. The ticket grants
    // access; cookies are never used there.
    ...(ticketed
      ? { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" }
      : {}),
  };
}

/** The headers of the page that frames a preview in its own tab. */
export function frameHeaders(origins: readonly string[], id: string): Record<string, string> {
  return {
    ...previewHeaders(origins, id, false),
    "content-security-policy": [
      "default-src 'none'",
      `style-src '${frameSources.style}'`,
      `script-src '${frameSources.script}'`,
      `frame-src ${ownFiles(origins, id)}`,
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "cross-origin-opener-policy": "same-origin",
  };
}
