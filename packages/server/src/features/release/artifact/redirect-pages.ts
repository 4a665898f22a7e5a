import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256Hex } from "../../../kit/hash.ts";
import { AppError } from "../../../kit/errors.ts";
import type { SnapshotRedirect } from "../snapshot.ts";
import type { OutputFile } from "./output.ts";

/** The redirects within a site. */
export interface SiteRedirects {
  /** The site's address, for the pages' canonical links. */
  baseUrl: string;
  list: readonly SnapshotRedirect[];
}

const pagePath = /^\/(?:[a-z0-9-]+\/)+$/;

/** The page for servers without support for redirects, which redirects automatically. */
function pageFor(to: string, baseUrl: string): string {
  const canonical = new URL(to, baseUrl).href;
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><title>This page has moved</title>`,
    `<meta http-equiv="refresh" content="0;url=${to}"><meta name="robots" content="noindex">`,
    `<link rel="canonical" href="${canonical}">`,
    `<meta name="viewport" content="width=device-width, initial-scale=1"></head>`,
    `<body><p>This page has moved <a href="${to}">here</a>.</p></body></html>\n`,
  ].join("\n");
}

/** The redirects that don't collide with a page or file of the site, sorted by address. */
export function openRedirects(
  { list }: SiteRedirects,
  site: readonly Pick<OutputFile, "path">[],
): SnapshotRedirect[] {
  for (const { from, to } of list) {
    if (pagePath.test(from) && pagePath.test(to)) continue;
    throw new AppError("internal", `A redirect from ${from} to ${to} is none between pages.`);
  }
  const taken = new Set(site.map(({ path }) => path));
  return list
    .filter(({ from }) => !taken.has(`${from.slice(1)}index.html`) && !taken.has(from.slice(1, -1)))
    .toSorted((a, b) => (a.from < b.from ? -1 : 1));
}

/** Writes the pages of redirects into a folder of the caller, to be added to a site's files. */
export async function writeRedirectPages(
  folder: string,
  redirects: readonly SnapshotRedirect[],
  baseUrl: string,
): Promise<OutputFile[]> {
  if (redirects.length > 0) await mkdir(folder);
  const files: OutputFile[] = [];
  for (const [index, { from, to }] of redirects.entries()) {
    const text = pageFor(to, baseUrl);
    const source = join(folder, String(index));
    await writeFile(source, text, { flag: "wx", mode: 0o644 });
    const path = `${from.slice(1)}index.html`;
    files.push({ path, source, bytes: Buffer.byteLength(text), hash: sha256Hex(text) });
  }
  return files;
}
