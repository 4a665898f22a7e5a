import { frameSources } from "./preview-frame.ts";

/**
 * What the browser may connect to on behalf of a document, beyond its policy: this covers navigation,
 * WebRTC, preconnections and name lookups, which a Content-Security-Policy does not
 * (https://wicg.github.io/connection-allowlists/). Browsers that don't know it ignore it.
 */
const connectionAllowlist = "(response-origin)";

/**
 * Features that ask others, or tell them something; denied to frames, too (Permissions Policy, 5). A
 * browser complains of those that it doesn't know.
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

/** The most inline scripts whose hashes a header names: it has to fit what clients read, 16 KiB. */
const maxInlineScripts = 100;

function ownFiles(origins: readonly string[], id: string): string {
  return origins.map((origin) => `${origin}/_preview/${id}/`).join(" ");
}

/**
 * What a preview's page may do. An agent wrote it and nobody has approved it, yet it is shown on the
 * admin's own origin: so it gets an origin of its own (`sandbox` without `allow-same-origin`), may
 * load only from its own prefix, and may neither post, open windows, frame, nor start workers. Inline
 * scripts are named by their hashes, as they are once published: what a script adds at run time, such
 * as handlers, `javascript:` addresses and speculation rules, does nothing.
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

/** What any other file may do that is opened as a document, such as SVG or XML: draw itself. */
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

/** The headers of every answer below /_preview; those of a page need `previewPolicy` as well. */
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
    // Under an opener policy a page in a sandbox is a network error (HTML standard, 7.1.3).
    "cross-origin-opener-policy": "unsafe-none",
    "x-robots-tag": "noindex, nofollow",
    // A page without an origin is foreign even to its own fonts and modules. Who holds the ticket may
    // read what the ticket opens; no cookie is ever looked at there.
    ...(ticketed
      ? { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" }
      : {}),
  };
}

/** The headers of the page around a preview in a tab of its own. */
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
