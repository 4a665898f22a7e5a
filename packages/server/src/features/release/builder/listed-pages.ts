import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Whether a page that has just been built may be listed: those that say `noindex` are in no sitemap, nor
 * are those that were left out because they have no content.
 */
export function isListed(outDir: string, address: string): boolean {
  const file = join(outDir, decodeURIComponent(new URL(address).pathname), "index.html");
  if (!existsSync(file)) return false;
  const robots = /<meta\b[^>]*\bname=["']?robots\b[^>]*>/i.exec(readFileSync(file, "utf8"));
  return !robots?.[0].toLowerCase().includes("noindex");
}
