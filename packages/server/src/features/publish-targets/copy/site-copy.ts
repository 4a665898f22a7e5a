import { mkdirSync, readdirSync, statSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import { sha256Hex } from "../../../kit/hash.ts";
import { removeTree } from "../../../platform/files.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import { workerJob, type WorkerPool } from "../../../platform/worker-pool.ts";
import { type ManifestFile, readManifest } from "../../release/artifact/artifact.ts";
import { linkOrCopy } from "../../release/artifact/content-store.ts";
import { makeYieldToEventLoop } from "../../release/artifact/yield-to-event-loop.ts";
import { releasePath } from "../../release/current-symlink.ts";
import { fileHeaders, isPage, pagePolicy } from "../../release/site/site-policy.ts";
import type { CopyForms } from "../schema.ts";
import type { adaptPage } from "./adapt-page-worker.ts";

/** A file of a copy. */
export interface CopyFile {
  /** Relative to the copy's folder. */
  path: string;
  /** SHA-256 in hex. */
  hash: string;
  bytes: number;
  /** The Content-Type. */
  type: string;
  cacheControl: string;
  isPage: boolean;
}

/** A release as it is sent: a folder with its files, pages last. */
export interface SiteCopy {
  release: number;
  folder: string;
  files: CopyFile[];
  /** Decoded path of a page that has moved → its new address. */
  redirects: ReadonlyMap<string, string>;
  /** Where the contact form and account links lead; null for nowhere else. */
  origin: string | null;
}

export interface CopyOptions {
  release: number;
  forms: CopyForms;
  /** This server's address. */
  origin: string;
  /** A folder of the target's own. */
  folder: string;
  signal: AbortSignal;
}

export interface CopyDependencies {
  paths: InstancePaths;
  workers: WorkerPool;
}

/** To be raised when adapted pages change. */
const adaptation = 1;
/** Longer pages aren't parsed; they are sent as they are. */
const maxPageBytes = 8 * 1024 * 1024;
/** How many pages are with the worker threads at once. */
const maxConcurrentPages = 2;

const adaptJob = workerJob<typeof adaptPage>(
  new URL("./adapt-page-worker.ts", import.meta.url),
  "adaptPage",
);

/** Pages that were adapted before, by their key: the rest of the name is the content's hash. */
function listAdapted(folder: string): Map<string, string> {
  mkdirSync(folder, { recursive: true });
  const names = readdirSync(folder).filter((name) => /^[0-9a-f]{64}-[0-9a-f]{64}$/.test(name));
  return new Map(names.map((name) => [name.slice(0, 64), name.slice(65)]));
}

interface Adapting {
  deps: CopyDependencies;
  options: CopyOptions;
  /** The release's folder. */
  from: string;
  adapted: Map<string, string>;
  /** The names of the adapted pages that this release has. */
  used: Set<string>;
}

/** The policy that a copy's page has in a `meta` element, because not all hosts can send headers. */
function policyOf(entry: ManifestFile, { forms, origin }: CopyOptions): string {
  const policy = pagePolicy(entry.scripts ?? []).replace(/; frame-ancestors [^;]*/, "");
  return forms === "origin"
    ? policy.replace("form-action 'self'", `form-action 'self' ${origin}`)
    : policy;
}

/** Puts a page of the copy into its folder; returns its hash and size. */
async function placePage(
  { deps, options, from, adapted, used }: Adapting,
  entry: ManifestFile,
  to: string,
): Promise<Pick<CopyFile, "hash" | "bytes">> {
  const source = join(from, entry.file);
  if (entry.bytes > maxPageBytes) {
    await linkOrCopy(source, to);
    return { hash: entry.hash, bytes: entry.bytes };
  }
  const { forms, origin, folder, signal } = options;
  const policy = policyOf(entry, options);
  const key = sha256Hex(JSON.stringify([adaptation, entry.hash, policy, forms, origin]));
  const pages = join(folder, "pages");
  const known = adapted.get(key);
  if (known === undefined) {
    const html = await readFile(source, "utf8");
    const page = await deps.workers.run(adaptJob, { html, policy, forms, origin }, { signal });
    const hash = sha256Hex(page);
    const temporary = join(pages, `${key}.tmp`);
    await writeFile(temporary, page, { mode: 0o644 });
    await rename(temporary, join(pages, `${key}-${hash}`));
    adapted.set(key, hash);
  }
  const hash = adapted.get(key) ?? "";
  const page = join(pages, `${key}-${hash}`);
  used.add(`${key}-${hash}`);
  await linkOrCopy(page, to);
  return { hash, bytes: statSync(page).size };
}

/** Pages come last, and of them the home page, which leads to the others. */
function inSendingOrder(files: CopyFile[]): CopyFile[] {
  const rank = ({ path, isPage: page }: CopyFile) => (path === "index.html" ? 2 : page ? 1 : 0);
  return files.toSorted((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}

async function placeFiles(adapting: Adapting, to: string): Promise<CopyFile[]> {
  const { from, options } = adapting;
  const { files } = await readManifest(`${from}.json`);
  const placed: CopyFile[] = [];
  const pages: [string, ManifestFile][] = [];
  const turn = makeYieldToEventLoop();
  const described = (urlPath: string, entry: ManifestFile) => ({
    path: entry.file,
    type: entry.type,
    cacheControl: fileHeaders(urlPath, entry)["cache-control"] ?? "",
    isPage: isPage(entry),
  });
  for (const [urlPath, entry] of Object.entries(files)) {
    await turn();
    options.signal.throwIfAborted();
    mkdirSync(dirname(join(to, entry.file)), { recursive: true });
    if (isPage(entry)) pages.push([urlPath, entry]);
    else {
      await linkOrCopy(join(from, entry.file), join(to, entry.file));
      placed.push({ ...described(urlPath, entry), hash: entry.hash, bytes: entry.bytes });
    }
  }
  const adaptedPages = await mapConcurrently(pages, maxConcurrentPages, async ([path, entry]) => ({
    ...described(path, entry),
    ...(await placePage(adapting, entry, join(to, entry.file))),
  }));
  return inSendingOrder([...placed, ...adaptedPages]);
}

/** Removes adapted pages that the release doesn't have any more. */
async function removeUnused(folder: string, used: ReadonlySet<string>): Promise<void> {
  const turn = makeYieldToEventLoop();
  for (const name of readdirSync(folder)) {
    await turn();
    if (!used.has(name)) await rm(join(folder, name), { force: true });
  }
}

/**
 * Puts a release as it is sent into `<folder>/site`: hard links of its files, and pages in which the
 * contact form and account links lead where they work, or the page says that they don't. Exactly
 * the public files of the release are in it. Throws `conflict` if the release was removed.
 */
export async function prepareCopy(deps: CopyDependencies, options: CopyOptions): Promise<SiteCopy> {
  const { release, folder, forms, origin } = options;
  const from = releasePath(deps.paths, release);
  const to = join(folder, "site");
  const pages = join(folder, "pages");
  await removeTree(to);
  await mkdir(to, { recursive: true });
  const used = new Set<string>();
  const adapting = { deps, options, from, adapted: listAdapted(pages), used };
  try {
    const files = await placeFiles(adapting, to);
    await removeUnused(pages, used);
    const { redirects = {} } = await readManifest(`${from}.json`);
    const map = new Map(Object.entries(redirects));
    return {
      release,
      folder: to,
      files,
      redirects: map,
      origin: forms === "origin" ? origin : null,
    };
  } catch (cause) {
    const isGone =
      (cause as NodeJS.ErrnoException).code === "ENOENT" ||
      (cause instanceof AppError && cause.code === "not_found");
    if (!isGone) throw cause;
    const message = `Release ${release} was removed while it was being sent.`;
    throw new AppError("conflict", message, { cause });
  }
}
