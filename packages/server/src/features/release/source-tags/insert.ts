import type { PageTag } from "./tag-file.ts";

/** Maximum length of an element's name. */
const maxName = 24;

/** Whether a tag may be at this position: right after the name in an opening tag. */
function isBehindName(page: Buffer, at: number): boolean {
  const before = page.toString("latin1", Math.max(0, at - maxName), at);
  return /<[a-z][a-z0-9]*$/.test(before) && /^[\s/>]/.test(page.toString("latin1", at, at + 1));
}

/**
 * A page with `data-source` on the elements that have tags. Drops tags that aren't right after an
 * element's name, and all tags after one that is out of order.
 */
export function insertTags(page: Buffer, tags: readonly PageTag[]): string {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { at, source } of tags) {
    if (at < from || at > page.length) break;
    if (!isBehindName(page, at)) continue;
    pieces.push(page.subarray(from, at), Buffer.from(` data-source="${source}"`));
    from = at;
  }
  pieces.push(page.subarray(from));
  return Buffer.concat(pieces).toString("utf8");
}
