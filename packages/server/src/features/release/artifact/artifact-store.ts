import { createHash, randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../../platform/files.ts";
import { type Manifest, type ManifestFile, urlPathOf } from "./artifact.ts";
import { removeFollowed, type FollowedOutput } from "./follow-output.ts";
import { readMedia } from "./media-files.ts";
import {
  hashOutput,
  type OutputBounds,
  type OutputFile,
  type WalkedFile,
  walkOutput,
} from "./output.ts";
import { fillArtifact } from "./place-files.ts";
import { openRedirects, type SiteRedirects, writeRedirectPages } from "./redirect-pages.ts";
import type { SnapshotRedirect } from "../snapshot.ts";
import { placeArtifact, useStored } from "./stored-artifacts.ts";

/**
 * The static output of one build, at `<artifacts>/<sha>`, with its manifest at
 * `<artifacts>/<sha>.json`.
 */
export interface StoredArtifact {
  sha: string;
  dir: string;
  /** HTML files. */
  pages: number;
  files: number;
  bytes: number;
  /** The files (contentMark) hashed while storing this, by path. */
  verified: ReadonlyMap<string, string>;
}

export interface ArtifactInput {
  /** The build's output, whose files are moved. The build's processes must have ended. */
  outDir: string;
  /** The content's media, linked into the artifact; may be missing. */
  mediaDir: string;
  /** Media addresses that the artifact must not contain; defaults to none. */
  withheld?: ReadonlySet<string>;
  artifactsDir: string;
  bounds: OutputBounds;
  /** What was placed while the build ran. */
  followed?: FollowedOutput;
  /** The files of a release that belong to the output, too, unless it has others in their places. */
  kept?: { release: string; files: ManifestFile[] };
  /** The files (contentMark) of the last artifact that this process has hashed, by path. */
  verified?: ReadonlyMap<string, string>;
  /** The share images that the build was given, by file name, and how many it might draw besides. */
  shareImages?: { published: ReadonlySet<string>; max: number };
  /** Redirects of old addresses; those where the output has a page are ignored. */
  redirects?: SiteRedirects;
}

function artifactSha(files: Pick<OutputFile, "path" | "hash">[]): string {
  const hash = createHash("sha256");
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const file of sorted) hash.update(`${file.path}\0${file.hash}\n`);
  return hash.digest("hex");
}

const shareImage = /^og\/([0-9a-f]{32}\.png)$/;

/** Whether as many share images are new as the build might draw. */
function lacksShareImages(
  entries: readonly ManifestFile[],
  { published, max }: NonNullable<ArtifactInput["shareImages"]>,
): boolean {
  const names = entries.flatMap(({ file }) => shareImage.exec(file)?.[1] ?? []);
  return max > 0 && names.filter((name) => !published.has(name)).length >= max;
}

function makeManifest(
  sha: string,
  entries: ManifestFile[],
  redirects: readonly SnapshotRedirect[],
  shareImages: ArtifactInput["shareImages"],
): Manifest {
  const documents = entries.filter((entry) => entry.type.startsWith("text/html")).length;
  const leading = Object.fromEntries(redirects.map(({ from, to }) => [from, to]));
  return {
    sha,
    pages: documents - redirects.length,
    ...(redirects.length > 0 ? { redirects: leading } : {}),
    ...(shareImages && lacksShareImages(entries, shareImages) ? { lacksShareImages: true } : {}),
    bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0),
    files: Object.fromEntries(entries.map((entry) => [urlPathOf(entry.file), entry])),
  };
}

function summary(
  dir: string,
  manifest: Manifest,
  verified: ReadonlyMap<string, string>,
): StoredArtifact {
  const { sha, pages, bytes } = manifest;
  return { sha, dir, pages, bytes, files: Object.keys(manifest.files).length, verified };
}

/** What is left of the bounds of an output beside files that it keeps. */
function remainingBounds({ bytes, files }: OutputBounds, kept: ManifestFile[]): OutputBounds {
  const used = kept.reduce((sum, entry) => sum + entry.bytes, 0);
  return { bytes: bytes - used, files: files - kept.length };
}

const named = (entries: ManifestFile[]) => entries.map(({ file: path, hash }) => ({ path, hash }));

/** The kept files in whose places the output has none, nor in those of their compressed siblings. */
function withoutWritten(kept: ManifestFile[], output: OutputFile[]): ManifestFile[] {
  const paths = new Set(output.map(({ path }) => path));
  const isTaken = ({ file }: ManifestFile) => paths.has(`${file}.br`) || paths.has(`${file}.gz`);
  const left = kept.filter(({ file }) => !paths.has(file));
  const uncompressed = left
    .filter(isTaken)
    .map((entry) => Object.assign({}, entry, { encodings: {} }));
  return [...left.filter((entry) => !isTaken(entry)), ...uncompressed];
}

/** Whether everything placed while the build ran is still the same in its output. */
function isUpToDate({ placed }: FollowedOutput, pages: WalkedFile[]): boolean {
  const marks = new Map(pages.map((file) => [file.path, file.mark]));
  return [...placed].every(([path, { seen }]) => {
    return marks.get(path) === seen && !marks.has(`${path}.br`) && !marks.has(`${path}.gz`);
  });
}

/** The pages with their hashes, which are already known for placed ones. */
async function hashPages(pages: WalkedFile[], { placed }: FollowedOutput): Promise<OutputFile[]> {
  const unread = pages.filter((file) => !placed.has(file.path));
  const reusedHashes = pages.flatMap((file) => {
    const hash = placed.get(file.path)?.entry.hash;
    return hash === undefined ? [] : [{ ...file, hash }];
  });
  return [...(await hashOutput(unread)), ...reusedHashes];
}

/**
 * Makes an artifact of a build's output and the media: walked, hashed, compressed, synced, and
 * moved into place atomically. The same bytes give the same artifact, which is then reused. Throws
 * AppError `validation_failed` if the output contains something that isn't allowed.
 */
export async function storeArtifact(input: ArtifactInput): Promise<StoredArtifact> {
  const { artifactsDir } = input;
  const store = join(artifactsDir, ".store");
  await mkdir(store, { recursive: true });
  const name = `.new-${process.pid}-${randomBytes(6).toString("hex")}`;
  const followed = input.followed ?? { dir: join(artifactsDir, name), placed: new Map() };
  const moved = `${followed.dir}-moved`;
  try {
    const { kept = { release: "", files: [] } } = input;
    const [output, stored] = await Promise.all([
      walkOutput(input.outDir, remainingBounds(input.bounds, kept.files)),
      readMedia(input.mediaDir, join(artifactsDir, ".media.json")),
    ]);
    const withheld = input.withheld ?? new Set();
    const media = stored.filter((file) => !withheld.has(`/${file.path}`));
    const mediaPaths = new Set(stored.map((file) => file.path));
    const walked = output.filter((file) => !mediaPaths.has(file.path));
    if (!isUpToDate(followed, walked)) await removeFollowed(followed);
    const pages = await hashPages(walked, followed);
    const unwritten = withoutWritten(kept.files, pages);
    const redirects = input.redirects
      ? openRedirects(input.redirects, [...pages, ...named(unwritten)])
      : [];
    const baseUrl = input.redirects?.baseUrl ?? "";
    const site = [...pages, ...(await writeRedirectPages(moved, redirects, baseUrl))];
    const sha = artifactSha([...site, ...named(unwritten), ...media]);
    const dir = join(artifactsDir, sha);
    const found = await useStored(artifactsDir, sha);
    if (found !== undefined) {
      await removeFollowed(followed);
      return summary(dir, found, new Map());
    }
    await mkdir(followed.dir, { recursive: true, mode: 0o755 });
    const { entries, verified } = await fillArtifact({
      ...followed,
      store,
      site,
      media,
      kept: { ...kept, files: unwritten },
      known: input.verified ?? new Map(),
    });
    const placedSha = artifactSha(entries.map(({ file: path, hash }) => ({ path, hash })));
    const manifest = makeManifest(placedSha, entries, redirects, input.shareImages);
    await placeArtifact(artifactsDir, { folder: followed.dir, manifest });
    return summary(join(artifactsDir, placedSha), manifest, verified);
  } catch (error) {
    await removeFollowed(followed);
    throw error;
  } finally {
    await removeTree(moved);
  }
}
