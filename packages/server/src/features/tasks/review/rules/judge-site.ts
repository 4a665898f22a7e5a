import type { RunChange } from "../../../runs/run-change.ts";
import type { FileDiff } from "../../../workspace/diff.ts";
import type { Manifest } from "../../../release/artifact/artifact.ts";
import type { TaskScope } from "../../schema.ts";
import { entryProblem } from "./entry-text.ts";
import { fileProblem, type FilesReviewContext, isDerivedName } from "./judge-files.ts";
import { judgePage } from "./judge-page.ts";
import { hasNamedSentence } from "./judge-text.ts";
import { sourceProblems } from "./judge-source.ts";
import { styleProblems } from "./judge-style.ts";
import {
  type AttachedImage,
  type ReviewContext,
  makeAccepted,
  type PageReviewContext,
} from "./review-context.ts";
import type { Problem } from "./problem.ts";
import { scopedPages } from "./scoped-pages.ts";
import { findElement, readSiteMarkup, openSiteView, type SiteView } from "./site-view.ts";
import { diffPages, type PageChange } from "./tree-diff.ts";
import { makePageReader, type PageNode, textOf, TooLarge, walk } from "./tree.ts";

export interface SiteJob {
  live: { dir: string; manifest: Manifest };
  next: { dir: string; manifest: Manifest };
  scope: TaskScope;
  entry: RunChange | null;
  origin: string | null;
  attachedImages: readonly AttachedImage[];
  mediaDir: string | null;
  files: readonly FileDiff[];
}

/** What the files of two versions of a site say; a browser checks how they look. */
export interface SiteVerdict {
  problems: Problem[];
  /** Pages whose markup has changed, and those that use a changed style sheet. */
  pages: { changed: string[]; styled: string[] };
  /** Texts that may disappear from a page or be added to it, according to what was allowed. */
  texts: { removed: string[]; added: string[] };
}

const maxPages = 400;
const maxAnchors = 12;

function changedPaths({ live, next }: { live: SiteView; next: SiteView }) {
  const [changed, gone]: [string[], string[]] = [[], []];
  for (const [path, { hash, type }] of Object.entries(next.manifest.files)) {
    const before = live.entry(path);
    if (before?.hash !== hash || before.type !== type) changed.push(path);
  }
  for (const path of Object.keys(live.manifest.files))
    if (next.entry(path) === undefined) gone.push(path);
  return { changed, gone };
}

const stem = (path: string) => path.replace(/^\/_astro\//, "").split(".")[0] ?? "";
const isSheet = (path: string, { manifest }: SiteView) =>
  manifest.files[path]?.type.startsWith("text/css") ?? false;

/** Style sheets that replaced others: the same name before the hash. */
function pairSheets(
  live: SiteView,
  next: SiteView,
  { changed, gone }: ReturnType<typeof changedPaths>,
): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const path of changed) {
    if (!isSheet(path, next)) continue;
    if (live.entry(path)) pairs.set(path, path);
    const before = gone.filter(
      (old) => old.startsWith("/_astro/") && isSheet(old, live) && stem(old) === stem(path),
    );
    if (path.startsWith("/_astro/") && before.length === 1) pairs.set(before[0] as string, path);
  }
  return pairs;
}

/** The themes in the live site's style sheets. */
function listThemes(live: SiteView): Set<string> {
  const names = new Set<string>();
  for (const path of Object.keys(live.manifest.files)) {
    if (!isSheet(path, live)) continue;
    const text = live.bytes(path).toString("utf8");
    for (const [, name = ""] of text.matchAll(/\[data-look=["']?([\w-]{1,40})["']?\]\s*\{/g))
      names.add(name);
  }
  return names;
}

interface PageDiff {
  changes: readonly PageChange[];
  liveText: string;
  headings: readonly string[];
}

type Diffs = ReadonlyMap<string, PageDiff>;

const label = /^(?:h[1-6]|summary|dt|th|legend|figcaption)$/;

function diffAll(
  paths: readonly string[],
  { live, next }: { live: SiteView; next: SiteView },
  problems: Problem[],
): Diffs {
  const diffs = new Map<string, PageDiff>();
  for (const path of paths) {
    try {
      const [before, after] = [live.page(path), next.page(path)];
      const liveText = textOf(findElement(before, "main") ?? before);
      const headings = [...walk(before)].filter(({ tag }) => label.test(tag)).map(textOf);
      diffs.set(path, { changes: diffPages(before, after), liveText, headings });
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      problems.push({ group: "unread", what: error.message, path });
    }
  }
  return diffs;
}

/**
 * Judges all changed pages, those in scope first: what is allowed there explains the same
 * elsewhere.
 */
function judgePages(
  base: Omit<ReviewContext, "accepted" | "problems">,
  diffs: Diffs,
  scoped: ReadonlySet<string>,
): Pick<ReviewContext, "accepted" | "problems"> {
  const result = { accepted: makeAccepted(), problems: [] as Problem[] };
  const ordered = [...diffs].toSorted(([a], [b]) => Number(scoped.has(b)) - Number(scoped.has(a)));
  for (const [path, { changes, liveText, headings }] of ordered) {
    const context: PageReviewContext = {
      ...base,
      ...result,
      path,
      liveText,
      hasNamedSentence: hasNamedSentence(liveText, base.scope.keywords),
      headings,
      inScope: scoped.has(path),
      amount: { added: 0, removed: 0, words: 0 },
      regions: new Set(),
      links: new Set(),
    };
    // Twice, because something derived from a text, such as a share image, can precede it.
    const silent = { ...context, problems: [] as Problem[] };
    judgePage(silent, changes);
    if (silent.problems.length > 0) judgePage(context, changes);
  }
  return result;
}

/** If the task names no page, the one page that explains the most. */
function bestContext(
  base: Omit<ReviewContext, "accepted" | "problems">,
  diffs: Diffs,
): Pick<ReviewContext, "accepted" | "problems"> {
  const anchors = [...diffs]
    .toSorted(([, a], [, b]) => b.changes.length - a.changes.length)
    .map(([path]) => path)
    .filter((path) => !/^\/(?:account|admin|api|404)/.test(path));
  let best = judgePages(base, diffs, new Set());
  for (const anchor of anchors.slice(0, maxAnchors)) {
    if (best.problems.length === 0) break;
    const tried = judgePages(base, diffs, new Set([anchor]));
    if (tried.problems.length < best.problems.length) best = tried;
  }
  return best;
}

function judgeStyles({ live, next, sheets, scope, problems }: ReviewContext): void {
  for (const [before, after] of sheets) {
    const texts = [live.bytes(before), next.bytes(after)].map((bytes) => bytes.toString("utf8"));
    for (const what of styleProblems(texts[0] ?? "", texts[1] ?? "", scope))
      problems.push({ group: "style", what, path: null });
  }
}

function judgeFiles(
  context: FilesReviewContext,
  { changed, gone }: ReturnType<typeof changedPaths>,
): void {
  const { live, next, sheets, problems } = context;
  const note = (what: string, path: string) => problems.push({ group: "files", what, path });
  const newSheets = new Set(sheets.values());
  for (const path of changed) {
    if ((live.isPage(path) && next.isPage(path)) || newSheets.has(path)) continue;
    const problem =
      next.isPage(path) && !live.entry(path) ? "a new page" : fileProblem(context, path);
    if (problem !== null) note(problem, path);
  }
  for (const path of gone) {
    if (sheets.has(path) || isDerivedName(path)) continue;
    note(live.isPage(path) ? "a page is gone" : "a file is gone", path);
  }
  const redirects = (site: SiteView) =>
    JSON.stringify(Object.entries(site.manifest.redirects ?? {}).toSorted());
  if (redirects(live) !== redirects(next))
    problems.push({ group: "files", what: "redirects", path: null });
}

function attributeText(node: PageNode): string {
  return [...node.attributes.values(), ...node.children.map(attributeText)].join(" ");
}

/** All texts of the changed pages, for looking up texts of the source. */
function shownText(next: SiteView, paths: Iterable<string>): string {
  return [...paths]
    .map(
      (path) => `${textOf(next.page(path))} ${attributeText(next.page(path)).replace(/\s+/g, " ")}`,
    )
    .join(" ");
}

/** The pages that load one of these style sheets. */
function pagesWith(next: SiteView, sheets: ReadonlySet<string>): string[] {
  if (sheets.size === 0) return [];
  return Object.keys(next.manifest.files).filter((path) => {
    if (!next.isPage(path)) return false;
    const text = next.bytes(path).toString("utf8");
    return [...sheets].some((sheet) => text.includes(sheet));
  });
}

/** What pages are judged by, except the results of judging them. */
function basisOf(job: SiteJob, live: SiteView, next: SiteView, sheets: ReviewContext["sheets"]) {
  const pages = Object.keys(live.manifest.files).filter((path) => live.isPage(path));
  const siteMarkup = readSiteMarkup(live, pages.slice(0, maxPages));
  const { scope, entry, origin } = job;
  const images = {
    media: new Set(job.attachedImages.flatMap(({ paths }) => paths)),
    altTexts: new Set(job.attachedImages.map(({ alt }) => alt)),
  };
  return {
    scope,
    live,
    next,
    siteMarkup,
    entry,
    origin,
    ...images,
    sheets,
    themes: listThemes(live),
  };
}

function unread(problems: readonly Problem[], what: string): SiteVerdict {
  return {
    problems: [...problems, { group: "unread", what, path: null }],
    pages: { changed: [], styled: [] },
    texts: { removed: [], added: [] },
  };
}

/**
 * Judges a built site against the live one: a rule within the task's scope has to allow every
 * difference of the output. Synchronous and slow for large sites: run it in a worker thread.
 * Anything unreadable is a problem.
 */
export function judgeSite(job: SiteJob): SiteVerdict {
  const reader = makePageReader();
  const live = openSiteView(job.live.dir, job.live.manifest, reader);
  const next = openSiteView(job.next.dir, job.next.manifest, reader);
  const paths = changedPaths({ live, next });
  const pages = paths.changed.filter((path) => live.isPage(path) && next.isPage(path));
  const problems: Problem[] = [];
  if (pages.length > maxPages) return unread([], `${pages.length} pages have changed`);
  try {
    const sheets = pairSheets(live, next, paths);
    const diffs = diffAll(pages, { live, next }, problems);
    const base = basisOf(job, live, next, sheets);
    const scoped = scopedPages(job.scope, live);
    const judged = scoped.size > 0 ? judgePages(base, diffs, scoped) : bestContext(base, diffs);
    problems.push(...judged.problems);
    const shown = shownText(next, diffs.keys());
    // Without the following pages, which show the entry as well.
    const { accepted } = judged;
    const known = [
      ...job.scope.dictatedPieces,
      ...job.scope.quotes,
      shownText(live, diffs.keys()),
      ...accepted.added,
      // Texts that may replace others on a page, such as alt texts.
      ...Array.from(accepted.texts.values(), (texts) => Array.from(texts).join(" ")),
    ].join(" ");
    const problem = job.entry === null ? null : entryProblem(job.entry, known);
    if (problem !== null) {
      const what = `the changelog entry names “${problem}”`;
      problems.push({ group: "sensitive", what, path: null });
    }
    const { mediaDir, files, scope } = job;
    const context = { ...base, ...judged, problems, mediaDir, changedPages: new Set(pages) };
    judgeStyles(context);
    judgeFiles(context, paths);
    problems.push(...sourceProblems(files, { shown, scope }));
    const { added, removed, texts, removableTexts: left } = judged.accepted;
    return {
      problems,
      pages: { changed: pages, styled: pagesWith(next, new Set(sheets.values())) },
      texts: { removed: [...removed, ...texts.keys(), ...left], added: [...added] },
    };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return unread(problems, error.message);
  }
}
