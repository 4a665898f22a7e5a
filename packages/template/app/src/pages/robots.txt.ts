/** Everything is open, the private parts of the platform apart. */
export function GET({ site: base }: { site: URL }): Response {
  const lines = [
    "User-agent: *",
    "Disallow: /admin",
    "Disallow: /api/",
    "",
    `Sitemap: ${new URL("/sitemap-index.xml", base).href}`,
  ];
  return new Response(`${lines.join("\n")}\n`, { headers: { "Content-Type": "text/plain" } });
}
