import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Whether a page says of itself that nobody is to find it. */
export function isUnlisted(html: string): boolean {
  const robots = /<meta\b[^>]*\bname=["']?robots\b[^>]*>/i.exec(html);
  return robots?.[0].toLowerCase().includes("noindex") ?? false;
}

/**
 * Whether a page that has just been built may be listed: those that say `noindex` are in no sitemap, nor
 * are those that were left out because they have no content.
 */
export function isListed(outDir: string, address: string): boolean {
  const file = join(outDir, decodeURIComponent(new URL(address).pathname), "index.html");
  return existsSync(file) && !isUnlisted(readFileSync(file, "utf8"));
}
