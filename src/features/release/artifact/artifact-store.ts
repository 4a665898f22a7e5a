import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, readFile, rename, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exists, fsyncFolder, removeTree, writeFileAtomic } from "../../../platform/files.ts";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { linkOrCopy, makeDurable, moveFile, putStored, takeStored } from "./content-store.ts";
import { type Effort, effortFor, encodedFrom, writeEncodings } from "./encodings.ts";
import {
  contentType,
  inlineScripts,
  isCompressible,
  type Manifest,
  type ManifestFile,
  urlPathOf,
} from "./artifact.ts";
import { readMedia } from "./media-files.ts";
import { openRedirects, type SiteRedirects, writeRedirectPages } from "./redirect-pages.ts";
import type { SnapshotRedirect } from "../snapshot.ts";
import { makeTurns } from "./turns.ts";
import { type OutputBounds, type OutputFile, readOutput } from "./output.ts";

/** The static output of one build, at `<artifacts>/<sha>`, with its manifest at `<artifacts>/<sha>.json`. */
export interface StoredArtifact {
  sha: string;
  dir: string;
  /** HTML files. */
  pages: number;
  files: number;
  bytes: number;
}

export interface ArtifactInput {
  /** What the build wrote; its files are moved away from there. The build's processes must be gone. */
  outDir: string;
  /** The content's public media, linked into the artifact; may be missing. */
  mediaDir: string;
  artifactsDir: string;
  bounds: OutputBounds;
  /** Old addresses; one that the output has a page for is passed over. */
  redirects?: SiteRedirects;
}

function artifactSha(files: OutputFile[]): string {
  const hash = createHash("sha256");
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const file of sorted) hash.update(`${file.path}\0${file.hash}\n`);
  return hash.digest("hex");
}

/** A file placed in the artifact that is not in the store yet. */
interface Fresh {
  path: string;
  name: string;
}

interface Placement {
  entry: ManifestFile;
  fresh: Fresh[];
}

interface Placing {
  dir: string;
  store: string;
  effort: Effort;
  /** Every path of the output: a sibling never takes the name of a file. */
  taken: ReadonlySet<string>;
}

async function placeEncodings(
  file: OutputFile,
  known: boolean,
  placing: Placing,
): Promise<{ sizes: { br?: number; gz?: number }; fresh: Fresh[] }> {
  const target = join(placing.dir, file.path);
  if (!known) {
    const sizes = await writeEncodings(target, target, placing.effort);
    const fresh = Object.keys(sizes).map((suffix) => ({
      path: `${target}.${suffix}`,
      name: `${file.hash}.${suffix}`,
    }));
    return { sizes, fresh };
  }
  // A stored content was compressed when it was stored, or found not to be worth it.
  const sizes: { br?: number; gz?: number } = {};
  for (const suffix of ["br", "gz"] as const) {
    const path = `${target}.${suffix}`;
    if (await takeStored(placing.store, `${file.hash}.${suffix}`, path)) {
      sizes[suffix] = statSync(path).size;
    }
  }
  return { sizes, fresh: [] };
}

function mayEncode(file: OutputFile, type: string, taken: ReadonlySet<string>): boolean {
  const siblings = [`${file.path}.br`, `${file.path}.gz`];
  return (
    isCompressible(type) && file.bytes >= encodedFrom && !siblings.some((path) => taken.has(path))
  );
}

async function placeFile(file: OutputFile, placing: Placing): Promise<Placement> {
  const target = join(placing.dir, file.path);
  const known = await takeStored(placing.store, file.hash, target);
  const fresh: Fresh[] = [];
  if (!known) await moveFile(file.source, target);
  const type = contentType(file.path);
  const entry: ManifestFile = {
    file: file.path,
    hash: file.hash,
    bytes: file.bytes,
    type,
    encodings: {},
  };
  if (mayEncode(file, type, placing.taken)) {
    const { sizes, fresh: encoded } = await placeEncodings(file, known, placing);
    if (sizes.br !== undefined) entry.encodings.br = { bytes: sizes.br };
    if (sizes.gz !== undefined) entry.encodings.gzip = { bytes: sizes.gz };
    fresh.push(...encoded);
  }
  if (type.startsWith("text/html")) entry.scripts = inlineScripts(readFileSync(target, "utf8"));
  // Last, because a content that is in the store has its encodings there as well.
  if (!known) fresh.push({ path: target, name: file.hash });
  return { entry, fresh };
}

async function makeFolders(root: string, files: OutputFile[]): Promise<void> {
  const folders = new Set(files.map((file) => dirname(file.path)));
  const turn = makeTurns();
  for (const folder of folders) {
    await turn();
    mkdirSync(join(root, folder), { recursive: true, mode: 0o755 });
  }
}

async function placeMedia(file: OutputFile, dir: string): Promise<ManifestFile> {
  await linkOrCopy(file.source, join(dir, file.path));
  return {
    file: file.path,
    hash: file.hash,
    bytes: file.bytes,
    type: contentType(file.path),
    encodings: {},
  };
}

/** Fills a folder with the artifact, makes it durable and writes down what it holds. */
async function fill(
  dir: string,
  store: string,
  site: OutputFile[],
  media: OutputFile[],
): Promise<ManifestFile[]> {
  await makeFolders(dir, [...site, ...media]);
  const compressible = site.filter((file) => isCompressible(contentType(file.path)));
  const placing: Placing = {
    dir,
    store,
    effort: effortFor(compressible.reduce((sum, file) => sum + file.bytes, 0)),
    taken: new Set(site.map((file) => file.path)),
  };
  const turn = makeTurns();
  const placed = await mapConcurrently(site, 8, async (file) => {
    await turn();
    return placeFile(file, placing);
  });
  const linked = await mapConcurrently(media, 8, async (file) => {
    await turn();
    return placeMedia(file, dir);
  });
  const fresh = placed.flatMap((placement) => placement.fresh);
  await makeDurable(fresh.map((file) => file.path));
  for (const file of fresh) await putStored(store, file.path, file.name);
  return [...placed.map((placement) => placement.entry), ...linked];
}

function makeManifest(
  sha: string,
  entries: ManifestFile[],
  redirects: readonly SnapshotRedirect[],
): Manifest {
  const documents = entries.filter((entry) => entry.type.startsWith("text/html")).length;
  const leading = Object.fromEntries(redirects.map(({ from, to }) => [from, to]));
  return {
    sha,
    pages: documents - redirects.length,
    ...(redirects.length > 0 ? { redirects: leading } : {}),
    bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0),
    files: Object.fromEntries(entries.map((entry) => [urlPathOf(entry.file), entry])),
  };
}

/** Moves the finished folder into place; the same artifact made at the same time is as good. */
async function moveIntoPlace(temporary: string, dir: string): Promise<void> {
  try {
    await rename(temporary, dir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    await removeTree(temporary);
  }
}

function summary(dir: string, manifest: Manifest): StoredArtifact {
  const { sha, pages, bytes } = manifest;
  return { sha, dir, pages, bytes, files: Object.keys(manifest.files).length };
}

async function existing(dir: string): Promise<StoredArtifact | undefined> {
  const file = `${dir}.json`;
  if (!(await exists(file)) || !(await exists(dir))) return undefined;
  const now = new Date();
  await utimes(file, now, now);
  return summary(dir, JSON.parse(await readFile(file, "utf8")) as Manifest);
}

/**
 * Makes an artifact of a build's output and the media: walked, hashed, compressed, durable, moved into
 * place at once. The same bytes give the same artifact, which is then used again.
 * Throws AppError `validation_failed` when the output holds what a site may not.
 */
export async function storeArtifact(input: ArtifactInput): Promise<StoredArtifact> {
  const { artifactsDir } = input;
  const store = join(artifactsDir, ".store");
  await mkdir(store, { recursive: true });
  const [output, media] = await Promise.all([
    readOutput(input.outDir, input.bounds),
    readMedia(input.mediaDir, join(artifactsDir, ".media.json")),
  ]);
  const mediaPaths = new Set(media.map((file) => file.path));
  const pages = output.filter((file) => !mediaPaths.has(file.path));
  const temporary = join(artifactsDir, `.new-${process.pid}-${randomBytes(6).toString("hex")}`);
  const redirects = input.redirects ? openRedirects(input.redirects, pages) : [];
  const moved = `${temporary}-moved`;
  try {
    const baseUrl = input.redirects?.baseUrl ?? "";
    const site = [...pages, ...(await writeRedirectPages(moved, redirects, baseUrl))];
    const sha = artifactSha([...site, ...media]);
    const dir = join(artifactsDir, sha);
    const found = await existing(dir);
    if (found !== undefined) return found;
    await mkdir(temporary, { mode: 0o755 });
    const manifest = makeManifest(sha, await fill(temporary, store, site, media), redirects);
    await moveIntoPlace(temporary, dir);
    await fsyncFolder(artifactsDir);
    await writeFileAtomic(`${dir}.json`, JSON.stringify(manifest));
    return summary(dir, manifest);
  } catch (error) {
    await removeTree(temporary);
    throw error;
  } finally {
    await removeTree(moved);
  }
}
