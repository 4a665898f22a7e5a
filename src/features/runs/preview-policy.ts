/**
 * What a preview's page may do. An agent wrote it and nobody has approved it, yet it is shown on the
 * admin's own origin: so it gets an origin of its own (`sandbox` without `allow-same-origin`), may
 * load only from its own prefix, and may neither post, open windows, frame, nor start workers.
 */
export function previewPolicy(origins: readonly string[], runId: string): string {
  const own = origins.map((origin) => `${origin}/_preview/${runId}/`).join(" ");
  return [
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src ${own} 'unsafe-inline' 'wasm-unsafe-eval'`,
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

/** The headers of every answer below /_preview. */
export function previewHeaders(
  origins: readonly string[],
  runId: string,
  ticketed: boolean,
): Record<string, string> {
  return {
    "content-security-policy": previewPolicy(origins, runId),
    "cache-control": "private, no-store",
    "x-content-type-options": "nosniff",
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
