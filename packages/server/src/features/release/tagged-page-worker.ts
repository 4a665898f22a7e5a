import { readFile } from "node:fs/promises";
import { insertTags } from "./source-tags/insert.ts";
import { readPageTags } from "./source-tags/tag-file.ts";

/** A page of a release. */
export interface TaggedPageInput {
  path: string;
  /** Its release's folder. */
  release: string;
  /** SHA-256 of its content. */
  hash: string;
}

/**
 * The page with `data-source` on its elements. Runs in a worker, because its tags come from the
 * sandbox.
 */
export async function readTaggedPage({ path, release, hash }: TaggedPageInput): Promise<string> {
  return insertTags(await readFile(path), await readPageTags(release, hash));
}
