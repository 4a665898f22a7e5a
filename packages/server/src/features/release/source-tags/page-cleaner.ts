import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripTags } from "./strip.ts";
import {
  makeTagFileWriter,
  type TagFileWriter,
  tagFileName,
  type TaggedFiles,
} from "./tag-file.ts";

/** The tags that compiled code has, from which its pages are cleaned. */
export interface CompiledTags {
  /** The attribute's name. */
  name: string;
  places: TaggedFiles;
}

/** Takes tags out of rendered pages and notes where they were. */
export interface PageCleaner {
  /** The page without its tags. */
  clean(page: Buffer): Buffer;
  /**
   * Writes the tag file to the output after the build. False if page code has seen and used a tag:
   * the site then has to be built again without tags.
   */
  finish(outDir: string): Promise<boolean>;
}

/** Cleans pages of an attribute and collects where it was in `file`. */
export function makeCleaner(name: string, file: TagFileWriter): PageCleaner {
  let seen = false;
  return {
    clean(page) {
      const stripped = stripTags(page, name);
      seen ||= stripped === undefined;
      const { clean: content, marks } = stripped ?? { clean: page, marks: [] };
      if (marks.length > 0) file.addPage(content, marks);
      return content;
    },
    async finish(outDir) {
      if (!seen) await writeFile(join(outDir, tagFileName), file.text());
      return !seen;
    },
  };
}

/** Cleans the pages of code that was compiled with tags earlier. */
export function makePageCleaner({ name, places }: CompiledTags): PageCleaner {
  return makeCleaner(name, makeTagFileWriter(places));
}
