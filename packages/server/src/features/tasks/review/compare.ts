import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest, ManifestFile } from "../../release/artifact/artifact.ts";
import { kindOf, maxFileBytes, readFile, fileContentKey } from "./read-file.ts";
import { tagsOf, valueOf } from "./tags.ts";
import type { ReadContext, SiteFingerprint } from "./fingerprint.ts";

/** The folder of a site with its manifest. */
export interface BuiltSite {
  dir: string;
  manifest: Manifest;
}

/** Something that the live site doesn't have, and where the change adds it. */
export interface Addition extends Pick<SiteFingerprint, "kind" | "what"> {
  /** The first page or file. */
  path: string;
  /** The number of places. */
  places: number;
}

export interface Difference {
  added: Addition[];
  /** Pages of the live site that no longer exist. */
  removedPages: string[];
  /** Other files that no longer exist, except those named by their content. */
  removedFiles: string[];
  /** Pages that have lost almost all their content. */
  emptiedPages: string[];
  /** The total growth of files, in bytes. */
  growth: number;
}

/** Maximum additions kept; more than a person can review. */
const maxAdded = 20_000;

const files = ({ manifest }: BuiltSite) => Object.entries(manifest.files);
const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record && Object.hasOwn(record, key) ? record[key] : undefined;

/** The changed files of a build. Redirects are written by this program. */
function changedFiles(next: BuiltSite, live: BuiltSite | null): [string, ManifestFile][] {
  return files(next).filter(([path, { hash, type }]) => {
    if (own(next.manifest.redirects, path) !== undefined) return false;
    const before = own(live?.manifest.files, path);
    return before?.hash !== hash || before.type !== type;
  });
}

function textOf(site: BuiltSite, entry: ManifestFile): string {
  if (entry.bytes > maxFileBytes) return "";
  try {
    return readFileSync(join(site.dir, entry.file), "utf8");
  } catch {
    return "";
  }
}

const unseen = /<(script|style|template|svg)\b[^]*?<\/\1\s*>|<!--[^]*?-->|<[^>]*>/gi;

/** The amount of text on a page, besides what all pages have. */
function amountOf(text: string): number {
  const main =
    /<main\b[^>]*>([^]*)<\/main/i.exec(text)?.[1] ?? text.replace(/^[^]*<body\b/i, "<body");
  const words = main.replace(unseen, " ").replace(/\s+/g, " ").trim();
  return words.length;
}

const noticeable = 200;

function isEmptied(next: string, live: string): boolean {
  const before = amountOf(live);
  return before >= noticeable && amountOf(next) * 4 < before;
}

function policiesOf(text: string): string[] {
  if (!/content-security-policy/i.test(text)) return [];
  return [...tagsOf(text)].flatMap((tag) => {
    const equiv = valueOf(tag, "http-equiv")?.trim().toLowerCase();
    return equiv === "content-security-policy" ? (valueOf(tag, "content") ?? "") : [];
  });
}

/** Collects what the change contains and the live site may not have. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
function makeAdditions(live: BuiltSite | null, host: string | null) {
  const known = new Set<string>();
  const missing = new Map<string, Addition>();
  const readLive = new Set<string>();
  let overflow = false;

  const traitsOf = (
    site: BuiltSite,
    path: string,
    entry: ManifestFile,
  ): Map<string, SiteFingerprint> => {
    const traits = new Map<string, SiteFingerprint>();
    const sink = (fingerprint: SiteFingerprint) => {
      if (traits.size < maxAdded) traits.set(fingerprint.key, fingerprint);
      else overflow = true;
    };
    const place: ReadContext = { path, files: site.manifest.files, host, sink };
    readFile(entry, site.dir, place);
    return traits;
  };
  const learn = (path: string, entry: ManifestFile) => {
    if (live === null || readLive.has(path)) return;
    readLive.add(path);
    for (const key of traitsOf(live, path, entry).keys()) known.add(key);
  };
  if (live) {
    for (const [, entry] of files(live)) {
      const kind = kindOf(entry);
      if (kind === "code") known.add(`code:${entry.hash}`);
      if (kind !== "inert") known.add(fileContentKey(entry));
    }
  }

  const add = (path: string, { key, kind, what }: SiteFingerprint) => {
    const before = missing.get(key);
    if (before) before.places += 1;
    else if (missing.size < maxAdded) missing.set(key, { kind, what, path, places: 1 });
    else overflow = true;
  };

  return {
    add,
    /** Reads a file of the change, and its live counterpart if there is something to compare. */
    read(site: BuiltSite, path: string, entry: ManifestFile): void {
      const traits = [...traitsOf(site, path, entry).values()];
      const before = own(live?.manifest.files, path);
      if (before && traits.some(({ key }) => !known.has(key))) learn(path, before);
      for (const fingerprint of traits) if (!known.has(fingerprint.key)) add(path, fingerprint);
    },
    /** Searches the whole live site for what is left. */
    finish(): Addition[] {
      const open = new Set(missing.keys());
      for (const [path, entry] of live ? files(live) : []) {
        if (open.size === 0) break;
        learn(path, entry);
        for (const key of open) if (known.has(key)) open.delete(key);
      }
      const left = [...missing].flatMap(([key, addition]) => (open.has(key) ? addition : []));
      if (!overflow) return left;
      const what = `more than ${maxAdded} things to compare`;
      return [...left, { kind: "unread", what, path: "/", places: 1 }];
    },
  };
}

/** Files that the build names by their content: their names change automatically. */
const renamed = /^\/(?:_astro|og|pagefind)\//;

/** How much files have grown; those named by their content count as one. */
function growthOf(next: BuiltSite, live: BuiltSite | null): number {
  let growth = 0;
  let bundled = 0;
  for (const [path, { bytes }] of files(next)) {
    // Uploads belong to the owner, and tasks can't change them.
    if (path.startsWith("/media/")) continue;
    if (renamed.test(path)) bundled += bytes;
    else growth += Math.max(0, bytes - (own(live?.manifest.files, path)?.bytes ?? 0));
  }
  for (const [path, { bytes }] of live ? files(live) : []) {
    if (renamed.test(path)) bundled -= bytes;
  }
  return growth + Math.max(0, bundled);
}

function findRemoved(
  next: BuiltSite,
  live: BuiltSite,
): Pick<Difference, "removedPages" | "removedFiles"> {
  const { files: there, redirects } = next.manifest;
  const gone = files(live).filter(
    ([path]) => !Object.hasOwn(there, path) && own(live.manifest.redirects, path) === undefined,
  );
  const isPage = ([, entry]: [string, ManifestFile]) => kindOf(entry) === "page";
  return {
    removedPages: gone.filter(isPage).map(([path]) => path),
    removedFiles: gone
      .filter((one) => !isPage(one) && !renamed.test(one[0]) && !one[0].startsWith("/media/"))
      .map(([path]) => path)
      .filter((path) => own(redirects, path) === undefined),
  };
}

/**
 * Compares a built site with the live one, which is null before the first release. `host` is that
 * of the site's own address; `onFile` is called with each file before it is read. Synchronous and
 * slow for large changes: run it in a worker thread.
 */
export function compareSites(
  { next, live, host }: { next: BuiltSite; live: BuiltSite | null; host: string | null },
  onFile: (path: string) => void = () => {},
): Difference {
  const ledger = makeAdditions(live, host);
  const emptiedPages: string[] = [];
  for (const [path, entry] of changedFiles(next, live)) {
    onFile(path);
    ledger.read(next, path, entry);
    const before = own(live?.manifest.files, path);
    if (!live || !before || kindOf(entry) !== "page") continue;
    const old = textOf(live, before);
    if (before.bytes - entry.bytes >= noticeable / 2 && isEmptied(textOf(next, entry), old)) {
      emptiedPages.push(path);
    }
    const policies = policiesOf(old);
    if (policies.length === 0) continue;
    const retained = policiesOf(textOf(next, entry));
    if (policies.every((policy) => retained.includes(policy))) continue;
    const what = "a different content security policy, or none";
    ledger.add(path, { kind: "script", key: `policy:${path}`, what });
  }
  return {
    added: ledger.finish(),
    ...(live ? findRemoved(next, live) : { removedPages: [], removedFiles: [] }),
    emptiedPages,
    growth: growthOf(next, live),
  };
}
