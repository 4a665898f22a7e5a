import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { fileTypeOf, pngSize, typeOfBytes } from "./file-type.ts";
import { isAcceptedElsewhere, type ReviewContext, shorten } from "./review-context.ts";
import { leavesOf, missingLeaves } from "./judge-data.ts";
import { maxFileBytes, type SiteView } from "./site-view.ts";
import { type PageNode, textOf, TooLarge } from "./tree.ts";

const maxShareBytes = 1024 * 1024;
const maxMediaBytes = 64 * 1024 * 1024;

export interface FilesReviewContext extends ReviewContext {
  /** The folder that the build copies to /media/; null if unknown. */
  mediaDir: string | null;
  /** Pages with only allowed changes. */
  changedPages: ReadonlySet<string>;
}

/** Whether a file below /media/ is the stored one with that name. */
function isStored({ mediaDir, next, media }: FilesReviewContext, path: string): boolean {
  const entry = next.entry(path);
  const type = fileTypeOf(next, path);
  if (!entry || type === null || type !== entry.type.split(";")[0]) return false;
  if (mediaDir === null) return media.has(path);
  const file = join(mediaDir, path.slice("/media/".length));
  try {
    if (entry.bytes > maxMediaBytes || statSync(file).size !== entry.bytes) return false;
    return createHash("sha256").update(readFileSync(file)).digest("hex") === entry.hash;
  } catch {
    return false;
  }
}

const words = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

function isIndexFragment({ next }: FilesReviewContext, text: string): boolean {
  const {
    url,
    content = "",
    meta = {},
  } = JSON.parse(text) as { url: string; content?: string; meta?: Record<string, string> };
  const path = decodeURIComponent(url);
  if (!next.isPage(path)) return false;
  const page = next.page(path);
  const own = new Set([...words(textOf(page)), ...words(attributeText(page))]);
  return [...words(content), ...Object.values(meta).flatMap(words)].every((word) => own.has(word));
}

function attributeText(node: PageNode): string {
  return [...node.attributes.values(), ...node.children.map(attributeText)].join(" ");
}

const indexMark = "pagefind_dcd";

/** The description of a part of the search index: what the main one says, of other pages. */
function isPartEntry({ next }: FilesReviewContext, path: string): boolean {
  const main = leavesOf(next.bytes("/pagefind/pagefind-entry.json").toString()) ?? [];
  const known = new Set(main.map(({ key, value }) => `${key} ${value}`));
  const leaves = leavesOf(next.bytes(path).toString());
  return (leaves ?? [{ key: "", value: "" }]).every(
    ({ key, value }) =>
      known.has(`${key} ${value}`) ||
      (/^\/languages\/[a-z-]+\/hash$/.test(key) && /^"[a-z-]+_[0-9a-f]+"$/.test(value)) ||
      (/^\/languages\/[a-z-]+\/page_count$/.test(key) && /^\d+$/.test(value)),
  );
}

function isPartsList({ next }: FilesReviewContext, path: string): boolean {
  const names: unknown = JSON.parse(next.bytes(path).toString());
  return (
    Array.isArray(names) &&
    names.every(
      (name) =>
        /^[0-9a-f]{32}$/.test(String(name)) &&
        next.entry(`/pagefind/${String(name)}/pagefind-entry.json`) !== undefined,
    )
  );
}

/** The search index, which the platform generates from the finished pages. */
function searchProblem(context: FilesReviewContext, path: string): string | null {
  const { live, next } = context;
  if (path === "/pagefind/parts.json")
    return isPartsList(context, path) ? null : "the search index";
  if (/^\/pagefind\/[0-9a-f]{32}\/pagefind-entry\.json$/.test(path))
    return isPartEntry(context, path) ? null : "the search index";
  if (path === "/pagefind/pagefind-entry.json") {
    const [old, young] = [
      leavesOf(live.bytes(path).toString()),
      leavesOf(next.bytes(path).toString()),
    ];
    const changed =
      old && young ? [...missingLeaves(young, old), ...missingLeaves(old, young)] : null;
    return changed?.every(({ key }) => /^\/languages\/[a-z-]+\/(?:hash|page_count)$/.test(key))
      ? null
      : "the search index";
  }
  const part =
    /^\/pagefind\/(?:[0-9a-f]{32}\/)?(?:(fragment)\/\w+\.pf_fragment|index\/\w+\.pf_index|[\w.]+\.pf_meta)$/.exec(
      path,
    );
  if (!part) return "the search index";
  const text = gunzipSync(next.bytes(path), { maxOutputLength: 4 * maxFileBytes }).toString("utf8");
  if (!text.startsWith(indexMark)) return "the search index";
  return part[1] === undefined || isIndexFragment(context, text.slice(indexMark.length))
    ? null
    : "the search index";
}

const date = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} [\d:]{8} (?:GMT|[+-]\d{4})$/;

function decoded(text: string): string {
  return text
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&(?:apos|#39|#x27);/g, "'")
    .replace(/&amp;/g, "&")
    .replace(/\s+/g, " ")
    .trim();
}

/** A feed may contain the change's own entry, and texts that are also on a page. */
function feedProblem(
  { live, next, entry, accepted, origin }: FilesReviewContext,
  path: string,
): string | null {
  const split = (site: SiteView) =>
    site
      .bytes(path)
      .toString("utf8")
      .split(/(<[^>]*>)/)
      .filter((part) => part.trim() !== "");
  const old = split(live);
  const known = new Set(old);
  const texts = new Set(accepted.added);
  for (const all of accepted.texts.values()) for (const text of all) texts.add(text);
  const isEntryLink = (text: string) =>
    entry !== null &&
    origin !== null &&
    text.startsWith(`${origin}/changelog/#${entry.at.replace(/\D/g, "").slice(0, 14)}`) &&
    /^[\w:/.#%-]+$/.test(text);
  const own =
    entry === null
      ? []
      : [entry.title, entry.detail, entry.actor, entry.kind].map((text) =>
          text.replace(/\s+/g, " ").trim(),
        );
  for (const part of split(next)) {
    if (known.has(part)) continue;
    const text = decoded(part.replace(/^<!\[CDATA\[([^]*)\]\]>$/, "$1"));
    const isKnown =
      !part.startsWith("<") &&
      (own.includes(text) ||
        texts.has(text) ||
        date.test(text) ||
        isEntryLink(text) ||
        old.some((before) => isAcceptedElsewhere(accepted, decoded(before), text)));
    if (!isKnown) return `a feed, “${shorten(part)}”`;
  }
  return null;
}

/** A list for programs: only texts that are also on a page may change in its lines. */
function linesProblem({ live, next, accepted }: FilesReviewContext, path: string): string | null {
  const lines = (site: SiteView) => site.bytes(path).toString("utf8").split("\n");
  const old = lines(live);
  const known = new Set(old);
  const gone = old.filter((line) => !lines(next).includes(line));
  const odd = lines(next).find(
    (line) =>
      !known.has(line) && !gone.some((before) => isAcceptedElsewhere(accepted, before, line)),
  );
  return odd === undefined ? null : `“${shorten(odd)}”`;
}

const addressKey = /(?:url|email|phone|image|schema|profiles|address|postalCode|website)/i;

/** Data for programs: only texts that are also on a page, and dates, may change. */
function recordProblem(
  { live, next, accepted, changedPages }: FilesReviewContext,
  path: string,
): string | null {
  const [old, young] = [
    leavesOf(live.bytes(path).toString("utf8")),
    leavesOf(next.bytes(path).toString("utf8")),
  ];
  if (!old || !young) return "a file that isn’t valid JSON";
  const shown = [...accepted.added];
  for (const leaf of missingLeaves(young, old)) {
    const value: unknown = JSON.parse(leaf.value);
    const text = String(value).replace(/\s+/g, " ").trim();
    const isDate = /^\d{4}(?:-\d\d){0,2}(?:T[\d:.]+Z)?$/.test(text) && changedPages.size > 0;
    const isShown = shown.some((one) => one === text || (text.length >= 2 && one.includes(text)));
    if (addressKey.test(leaf.key) || (!isDate && !isShown)) return `“${shorten(text)}”`;
  }
  const lost = missingLeaves(old, young).find(({ key }) => addressKey.test(key));
  return lost === undefined ? null : `“${shorten(lost.value)}” is gone`;
}

/** The printable résumé: generated from the same texts as its page, and dated by the changelog. */
function documentProblem(context: FilesReviewContext, path: string): string | null {
  const { live, next, changedPages, problems, entry } = context;
  const [old, young] = [live.entry(path), next.entry(path)];
  const page = `${path.replace(/\.pdf$/, "")}/`;
  const record = path.replace(/\.pdf$/, ".json");
  const isOther = next.entry(record)?.hash !== live.entry(record)?.hash || changedPages.has(page);
  const isWrong = problems.some((one) => one.path === page || one.path === record);
  if (!old || !young || isWrong || (!isOther && entry === null)) return "a document";
  const [least, limit] = isOther ? [0.5, 1.6] : [0.98, 1.02];
  const isAlike = young.bytes <= old.bytes * limit && young.bytes >= old.bytes * least;
  return isAlike && fileTypeOf(next, path) === "application/pdf" ? null : "a document";
}

function sitemapProblem({ live, next }: FilesReviewContext, path: string): string | null {
  const plain = (site: SiteView) =>
    site
      .bytes(path)
      .toString("utf8")
      .replace(/<lastmod>[\d\-T:.Z+]+<\/lastmod>/g, "");
  return plain(live) === plain(next) ? null : "the list of pages";
}

function shareProblem({ next }: FilesReviewContext, path: string): string | null {
  const entry = next.entry(path);
  if (!entry || entry.bytes > maxShareBytes) return "a share image";
  const bytes = next.bytes(path);
  const size = typeOfBytes(bytes) === "image/png" ? pngSize(bytes) : null;
  return size?.width === 1200 && size.height === 630 ? null : "a share image";
}

type Rule = readonly [
  path: RegExp,
  which: "new" | "changed" | "any",
  (context: FilesReviewContext, path: string) => string | null,
];

/** Which files may be added or changed, and under which condition. */
const rules: readonly Rule[] = [
  [/^\/og\/[0-9a-f]{32}\.png$/, "new", shareProblem],
  [
    /^\/media\//,
    "new",
    (context, path) => (isStored(context, path) ? null : "a file that isn’t a stored one"),
  ],
  [/^\/pagefind\//, "any", searchProblem],
  [/^\/(?:rss|feed|atom)\.xml$/, "changed", feedProblem],
  [/^\/sitemap-\d+\.xml$/, "changed", sitemapProblem],
  [/^\/llms\.txt$/, "changed", linesProblem],
  [/^\/resume\.json$/, "changed", recordProblem],
  [/^\/[\w-]+\.pdf$/, "changed", documentProblem],
];

/** Why an added or changed file needs review; null if a rule allows it. */
export function fileProblem(context: FilesReviewContext, path: string): string | null {
  const { live, next } = context;
  const kind = live.entry(path) === undefined ? "new" : "changed";
  const rule = rules.find(
    ([pattern, which]) => pattern.test(path) && (which === "any" || which === kind),
  );
  if (!rule || (kind === "changed" && live.entry(path)?.type !== next.entry(path)?.type))
    return `a ${kind} file`;
  try {
    return rule[2](context, path);
  } catch (error) {
    if (
      error instanceof TooLarge ||
      error instanceof SyntaxError ||
      error instanceof RangeError ||
      error instanceof URIError ||
      error instanceof TypeError ||
      (error as NodeJS.ErrnoException).code?.startsWith("Z_") === true ||
      (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE"
    )
      return `a ${kind} file that can't be read`;
    throw error;
  }
}

/** Files named by their content: they disappear when they are replaced. */
export const isDerivedName = (path: string): boolean =>
  /^\/og\/[0-9a-f]{32}\.png$|^\/pagefind\/(?:(?:[0-9a-f]{32}\/)?(?:fragment\/\w+\.pf_fragment|index\/\w+\.pf_index|[\w.]+\.pf_meta)|[0-9a-f]{32}\/pagefind-entry\.json)$/.test(
    path,
  );
