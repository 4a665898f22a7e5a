import { randomBytes } from "node:crypto";
import { readdir, readFile, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Plugin } from "vite";
import { loadCompiler } from "./compiler.ts";
import { type CompiledTags, makeCleaner, type PageCleaner } from "./page-cleaner.ts";
import { type TaggedSource, tagSource } from "./tag-astro.ts";
import { makeTagFileWriter } from "./tag-file.ts";

/** Page code that reads other rendered markup would see the tags. */
const readsMarkup = /\bslots\b[^\n]{0,40}\brender\b|\bastro\/container\b|\bAstroContainer\b/;

/** Adds tags to the elements in a site's sources and removes them from its pages. */
export interface SourceTagger extends PageCleaner {
  plugin: Plugin;
  /** What has been tagged, for pages that the same code renders later. */
  compiled(): CompiledTags;
}

interface Sources {
  srcDir: string;
  /** By path, files whose tagging has started on other threads. */
  tagged: Map<string, Promise<TaggedSource | undefined>>;
}

/** Reads all page code. Undefined if some of it could see the tags. */
async function readSources(root: string, name: string): Promise<Sources | undefined> {
  const compiler = await loadCompiler();
  const srcDir = join(await realpath(root), "src");
  const entries = await readdir(srcDir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.(?:astro|[cm]?[jt]sx?|mdx?)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  // A middleware gets the rendered pages.
  if (files.some((file) => /^middleware\b/.test(relative(srcDir, file)))) return undefined;
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  if (texts.some((text) => readsMarkup.test(text))) return undefined;
  const tagged: Sources["tagged"] = new Map();
  for (const [index, file] of files.entries()) {
    if (!file.endsWith(".astro")) continue;
    const tagging = tagSource(compiler, texts[index] ?? "", name).catch(() => undefined);
    tagged.set(file, tagging);
  }
  return { srcDir, tagged };
}

/**
 * Creates the tagger of one build of the site in `root` (the content's app folder). It reads the
 * sources immediately. Sources that it can't tag are built unchanged.
 */
export function makeSourceTagger(root: string): SourceTagger {
  const name = `v${randomBytes(8).toString("hex")}`;
  const reading = readSources(root, name).catch(() => undefined);
  const file = makeTagFileWriter();
  const written = new Map<string, Promise<string | undefined>>();

  async function textOf(path: string): Promise<string | undefined> {
    const sources = await reading;
    const tagged = await sources?.tagged.get(path);
    if (sources === undefined || tagged === undefined) return undefined;
    const firstTag = file.addFile(`app/src/${relative(sources.srcDir, path)}`, tagged.places);
    return tagged.write(firstTag);
  }

  const plugin: Plugin = {
    name: "source-tags",
    enforce: "pre",
    load: {
      filter: { id: /\.astro$/ },
      async handler(id) {
        const text = written.get(id) ?? textOf(id);
        written.set(id, text);
        return text;
      },
    },
  };

  return {
    plugin,
    compiled: () => ({ name, places: file.places() }),
    ...makeCleaner(name, file),
  };
}
