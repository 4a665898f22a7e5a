import {
  addProblem,
  isAcceptedElsewhere,
  type PageReviewContext,
  shorten,
} from "./review-context.ts";
import { pathOfLink } from "./judge-markup.ts";

interface Leaf {
  /** Names of the enclosing objects, without positions in lists. */
  key: string;
  value: string;
}

const maxLeaves = 5000;
/** Values in structured data that are texts shown on the page, too. */
const words =
  /(?:^|\/)(?:name|description|headline|alternativeHeadline|text|jobTitle|caption|abstract|keywords|alternateName|slogan)$/;

function collect(value: unknown, key: string, leaves: Leaf[], depth: number): void {
  if (leaves.length > maxLeaves || depth > 20) throw new RangeError("too much structured data");
  if (Array.isArray(value)) for (const one of value) collect(one, key, leaves, depth + 1);
  else if (value !== null && typeof value === "object") {
    for (const [name, one] of Object.entries(value))
      collect(one, `${key}/${name}`, leaves, depth + 1);
  } else leaves.push({ key, value: JSON.stringify(value) });
}

/** The texts and other values of JSON with their keys; null if it isn't JSON. */
export function leavesOf(json: string): Leaf[] | null {
  const leaves: Leaf[] = [];
  try {
    collect(JSON.parse(json), "", leaves, 0);
    return leaves;
  } catch {
    return null;
  }
}

/** The values of one list that are missing in the other, counting duplicates. */
export function missingLeaves(from: readonly Leaf[], other: readonly Leaf[]): Leaf[] {
  const left = new Map<string, number>();
  const nameOf = ({ key, value }: Leaf) => `${key}\0${value}`;
  for (const leaf of other) left.set(nameOf(leaf), (left.get(nameOf(leaf)) ?? 0) + 1);
  return from.filter((leaf) => {
    const count = left.get(nameOf(leaf)) ?? 0;
    if (count > 0) left.set(nameOf(leaf), count - 1);
    return count === 0;
  });
}

function textIn({ value }: Leaf): string {
  const parsed: unknown = JSON.parse(value);
  return typeof parsed === "string" ? parsed.replace(/\s+/g, " ").trim() : String(parsed);
}

function isImageEcho(context: PageReviewContext, added: Leaf, removed: readonly Leaf[]): boolean {
  const to = pathOfLink(textIn(added), context)?.path;
  return removed.some((old) => {
    const from = old.key === added.key ? pathOfLink(textIn(old), context)?.path : undefined;
    return (
      from !== undefined &&
      to !== undefined &&
      (context.accepted.images.get(from)?.has(to) ?? false)
    );
  });
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;

/** Whether a leaf is a later modification date, which every edit changes. */
function isNewDate(added: Leaf, all: readonly Leaf[], before: readonly string[]): boolean {
  const { key } = added;
  const [old, ...others] = before;
  const text = textIn(added);
  if (!key.endsWith("/dateModified") || old === undefined || others.length > 0) return false;
  if (all.some((leaf) => leaf !== added && leaf.key === key)) return false;
  return time.test(text) && time.test(old) && Date.parse(text) > Date.parse(old);
}

/** Judges a change of structured data: only texts may change that were allowed to on a page. */
export function judgeData(context: PageReviewContext, before: string, after: string): void {
  const [old, young] = [leavesOf(before), leavesOf(after)];
  if (old === null || young === null) return addProblem(context, "markup", "structured data");
  const { accepted } = context;
  const [added, removed] = [missingLeaves(young, old), missingLeaves(old, young)];
  const known = new Set(old.map(({ key, value }) => `${key}\0${value}`));
  for (const leaf of added) {
    const text = textIn(leaf);
    const from = removed.filter(({ key }) => key === leaf.key).map(textIn);
    const isWords =
      words.test(leaf.key) &&
      (accepted.added.has(text) || from.some((one) => isAcceptedElsewhere(accepted, one, text)));
    const isFrame = leaf.key.endsWith("/@type")
      ? known.has(`${leaf.key}\0${leaf.value}`)
      : leaf.key.endsWith("/position") && /^\d{1,4}$/.test(leaf.value);
    const isEcho = isImageEcho(context, leaf, removed) || isNewDate(leaf, added, from);
    if (!isWords && !isFrame && !isEcho)
      return addProblem(context, "markup", `structured data, “${shorten(text)}”`);
  }
  for (const leaf of removed) {
    const text = textIn(leaf);
    const isReplaced = added.some(({ key }) => key === leaf.key);
    if (!isReplaced && !accepted.removed.has(text) && !/\/(?:@type|position)$/.test(leaf.key))
      return addProblem(context, "markup", `structured data is gone, “${shorten(text)}”`);
  }
}
