import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Manifest } from "../artifact/artifact.ts";
import { decodeEscapes, type NormalizedText, normalizeText } from "./normalized-text.ts";
import type { Matcher } from "./matcher.ts";
import { type OutputFile, outputTexts } from "./output-texts.ts";
import type { PrivateFinding } from "./schema.ts";
import { UnreadableFile } from "./unreadable-file.ts";

/** A built site in a folder. */
export interface BuiltSite {
  dir: string;
  manifest: Manifest;
}

export interface PrivateComparison {
  /** By page and record; at most 200. */
  findings: PrivateFinding[];
  /** Their total number. */
  total: number;
  /** Identifies exactly these findings and texts; empty if there are none. */
  fingerprint: string;
  /** Why the comparison is incomplete; null if it isn't. */
  incomplete: string | null;
}

const maxFindings = 200;

interface NewFile extends OutputFile {
  path: string;
  /** Whether the live site has no file, or a different one, there. */
  isNewPath: boolean;
  isNewText: boolean;
}

/** Files that the live site doesn't have, without stored media. */
function changedFiles({ next, live, isStoredMedia }: CompareOptions): NewFile[] {
  const before = live?.manifest.files ?? {};
  const hashes = new Set(Object.values(before).map(({ hash }) => hash));
  return Object.entries(next.manifest.files)
    .filter(([, { file }]) => !isStoredMedia(file))
    .map(([path, { file, bytes, hash }]) => {
      return {
        path,
        file,
        bytes,
        hash,
        isNewPath: !Object.hasOwn(before, path),
        isNewText: !hashes.has(hash),
      };
    })
    .filter(({ isNewPath, isNewText }) => isNewPath || isNewText);
}

/** Redirects that the live site doesn't have, as texts of the page that redirects. */
function changedRedirects(next: BuiltSite, live: BuiltSite | null): [string, string][] {
  const before = live?.manifest.redirects ?? {};
  return Object.entries(next.manifest.redirects ?? {}).filter(([from, to]) => before[from] !== to);
}

/** The path to report, without a last segment that is itself private. */
function shownPath(path: string, isPrivate: boolean): string {
  return isPrivate ? `${path.replace(/[^/]*\/?$/, "")}…` : path;
}

function pathLetters(path: string): NormalizedText {
  return normalizeText(decodeEscapes(path));
}

interface PageHits {
  path: string;
  isPathPrivate: boolean;
  patterns: Set<number>;
}

/** Searches everything that is new, page by page. */
async function* hitsOf(
  comparing: CompareOptions,
  unread: (path: string, reason: string) => void,
): AsyncGenerator<PageHits> {
  const { next, live, matcher, onDamaged } = comparing;
  for (const { path, isNewPath, isNewText, ...entry } of changedFiles(comparing)) {
    const file = join(next.dir, entry.file);
    const patterns = new Set<number>();
    const onHit = (pattern: number) => void patterns.add(pattern);
    if (isNewPath) matcher.find(pathLetters(path), onHit);
    const isPathPrivate = patterns.size > 0;
    try {
      if (isNewText)
        for await (const text of outputTexts({ ...entry, file }, onDamaged))
          matcher.find(text, onHit);
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      unread(shownPath(path, isPathPrivate), error.message);
    }
    if (patterns.size > 0) yield { path, isPathPrivate, patterns };
  }
  for (const [from, to] of changedRedirects(next, live)) {
    const patterns = new Set<number>();
    for (const path of [from, to]) matcher.find(pathLetters(path), (n) => void patterns.add(n));
    if (patterns.size > 0) yield { path: from, isPathPrivate: true, patterns };
  }
}

/** Leaves out what public records contain and visitors can already read. */
async function removePublicTexts(
  { live, matcher, publicTexts, isStoredMedia, onDamaged }: CompareOptions,
  open: Set<number>,
): Promise<void> {
  if (open.size === 0) return;
  const exclude = (pattern: number) => {
    if (open.delete(pattern)) matcher.exclude(pattern);
  };
  for (const text of await publicTexts()) matcher.find(normalizeText(decodeEscapes(text)), exclude);
  for (const [path, entry] of Object.entries(live?.manifest.files ?? {})) {
    if (open.size === 0) return;
    if (live === null || isStoredMedia(entry.file)) continue;
    matcher.find(pathLetters(path), exclude);
    try {
      const file = join(live.dir, entry.file);
      for await (const text of outputTexts({ ...entry, file }, onDamaged))
        matcher.find(text, exclude);
    } catch (error) {
      // What can't be read there makes nothing public.
      if (!(error instanceof UnreadableFile)) throw error;
    }
  }
}

export interface CompareOptions {
  next: BuiltSite;
  live: BuiltSite | null;
  matcher: Matcher;
  /** What everyone can read; called only if something private is found. */
  publicTexts(): Promise<readonly string[]>;
  /** Whether a file, by its path relative to the site's root, is one of the stored media. */
  isStoredMedia(file: string): boolean;
  /** Why the matcher doesn't have all private texts; null if it does. */
  incompleteReason: string | null;
  /** Called for files whose bytes aren't those that their manifest names. */
  onDamaged(): void;
}

interface Triple extends PrivateFinding {
  letters: Set<string>;
}

function collect({ matcher }: CompareOptions, triples: Map<string, Triple>, hits: PageHits): void {
  const page = shownPath(hits.path, hits.isPathPrivate);
  for (const pattern of hits.patterns) {
    const { record, field, letters } = matcher.describe(pattern);
    const key = JSON.stringify([page, record, field]);
    const triple = triples.get(key) ?? { page, record, field, letters: new Set<string>() };
    triples.set(key, triple);
    triple.letters.add(letters);
  }
}

function resultOf(triples: Map<string, Triple>, incomplete: string | null): PrivateComparison {
  const sorted = [...triples].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash("sha256").update(incomplete ?? "");
  for (const [key, { letters }] of sorted) {
    hash.update(key);
    for (const text of [...letters].toSorted()) hash.update(`\0${text}`);
  }
  const findings = sorted.slice(0, maxFindings).map(([, { page, record, field }]) => {
    return { page, record, field };
  });
  const isClear = sorted.length === 0 && incomplete === null;
  const fingerprint = isClear ? "" : hash.digest("hex");
  return { findings, total: sorted.length, fingerprint, incomplete };
}

/**
 * Compares what is new in a site with private texts. Linear in the new files and the texts and, if
 * something is found, in the live site. It blocks the event loop, so run it in a separate thread.
 */
export async function compareSites(comparing: CompareOptions): Promise<PrivateComparison> {
  let incomplete = comparing.incompleteReason;
  const unread = (path: string, reason: string) => {
    incomplete ??= `${path} can’t be compared with private texts. ${reason}`;
  };
  const open = new Set<number>();
  for await (const { patterns } of hitsOf(comparing, unread)) {
    for (const one of patterns) open.add(one);
  }
  await removePublicTexts(comparing, open);
  const triples = new Map<string, Triple>();
  if (open.size > 0) {
    for await (const hits of hitsOf(comparing, unread)) collect(comparing, triples, hits);
  }
  return resultOf(triples, incomplete);
}
