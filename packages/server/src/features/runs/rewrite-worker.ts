import { readFile } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import { HtmlTooComplex } from "vitrine-qa/src/system/bounded-html.ts";
import { type Manifest, readManifest } from "../release/artifact/artifact.ts";
import { insertTags } from "../release/source-tags/insert.ts";
import { readPageTags } from "../release/source-tags/tag-file.ts";
import { makeAddressMap, type PreviewPrefixes } from "./preview-address.ts";
import { rewriteCss } from "./rewrite-css.ts";
import { rewriteHtml } from "./rewrite-html.ts";
import { rewriteScript } from "./rewrite-script.ts";

export type RewriteKind = "html" | "css" | "script";

/** A preview's file to rewrite. */
export interface RewriteInput {
  kind: RewriteKind;
  /** The artifact's or the release's folder. */
  dir: string;
  /** The file's path on disk. */
  path: string;
  /** SHA-256 of the file's content. */
  hash: string;
  prefixes: PreviewPrefixes;
  siteOrigin: string;
  /** The path of the page on the site. */
  pagePath: string;
  /** An element to add to a page; "" for none. */
  script: string;
}

/** A rewritten text, with the CSP sources of a page's inline scripts. */
export type RewriteResult = { text: string; scripts: string[] } | { tooComplex: string };

/** The manifests read by this thread: these folders never change. */
const manifests = new LRUCache<string, Manifest>({ max: 4 });

async function manifestOf(dir: string): Promise<Manifest> {
  const known = manifests.get(dir);
  if (known) return known;
  const manifest = await readManifest(`${dir}.json`);
  manifests.set(dir, manifest);
  return manifest;
}

async function rewritePage(input: RewriteInput): Promise<RewriteResult> {
  const { dir, path, hash, script } = input;
  const source = insertTags(await readFile(path), await readPageTags(dir, hash));
  const { files } = await manifestOf(dir);
  const has = (address: string) => Object.hasOwn(files, address);
  const scripts: string[] = [];
  const text = rewriteHtml(source, makeAddressMap(input), { has, script, scripts });
  return { text, scripts };
}

/** The text of a file in the preview. Runs in a worker, because pages can be large and hostile. */
export async function rewriteFile(input: RewriteInput): Promise<RewriteResult> {
  if (input.kind === "html") {
    try {
      return await rewritePage(input);
    } catch (error) {
      if (error instanceof HtmlTooComplex) return { tooComplex: error.message };
      throw error;
    }
  }
  const source = await readFile(input.path, "utf8");
  const rewrite = input.kind === "css" ? rewriteCss : rewriteScript;
  return { text: rewrite(source, makeAddressMap(input).inFile), scripts: [] };
}
