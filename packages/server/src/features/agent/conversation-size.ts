import type { ToolCall, ToolCallResult, Entry } from "./conversation.ts";

/** How to shorten the older part of a conversation. */
interface Cut {
  /** Number of recent steps that stay complete. */
  fullSteps: number;
  /** Maximum characters of an older tool result, and of a text in an older call. */
  older: number;
  /** Maximum characters of a result in the recent steps. */
  maxRecentResultLength: number;
  /** Whether older steps are removed instead of shortened. */
  drop: boolean;
}

/** From the mildest to the most severe. */
const cuts: readonly Cut[] = [
  { fullSteps: 4, older: 400, maxRecentResultLength: Infinity, drop: false },
  { fullSteps: 4, older: 400, maxRecentResultLength: Infinity, drop: true },
  { fullSteps: 2, older: 200, maxRecentResultLength: 24_000, drop: true },
  { fullSteps: 1, older: 200, maxRecentResultLength: 2_000, drop: true },
];

/** An image counts as this many characters. */
const imageSize = 5_000;

/** Restores the end marker of quoted data after truncating it. */
function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength + 100) return text;
  const boundary = /^<data-([0-9a-f]{16}) /.exec(text)?.[1];
  const end = boundary === undefined ? "" : `\n</data-${boundary}>`;
  return `${text.slice(0, maxLength)}\n… (shortened from ${text.length} characters)${end}`;
}

function cutInput(value: unknown, maxLength: number): unknown {
  if (typeof value === "string") return cutText(value, maxLength);
  if (Array.isArray(value)) return value.map((inner) => cutInput(inner, maxLength));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, cutInput(v, maxLength)]));
}

function cutCalls(calls: readonly ToolCall[], maxLength: number): ToolCall[] {
  return calls.map((call) => ({ ...call, input: cutInput(call.input, maxLength) }));
}

function cutResults(results: readonly ToolCallResult[], maxLength: number): ToolCallResult[] {
  return results.map((result) => ({ ...result, text: cutText(result.text, maxLength) }));
}

function cutOld(entry: Entry, maxLength: number): Entry {
  if (entry.kind === "answer") {
    return {
      ...entry,
      text: cutText(entry.text, maxLength * 4),
      calls: cutCalls(entry.calls, maxLength),
      parts: null,
    };
  }
  if (entry.kind !== "results") return entry;
  return {
    ...entry,
    results: cutResults(entry.results, maxLength),
    images: entry.images.map((image) => ({ ...image, bytes: null })),
  };
}

function cutNew(entry: Entry, maxLength: number): Entry {
  if (maxLength === Infinity) return entry;
  if (entry.kind === "results") return { ...entry, results: cutResults(entry.results, maxLength) };
  if (entry.kind === "answer" && sizeOf(entry) > maxLength) return cutOld(entry, maxLength);
  return entry;
}

/** The index where the last steps begin. */
function lastSteps(entries: readonly Entry[], count: number): number {
  const starts = entries.flatMap((entry, i) => (entry.kind === "answer" ? [i] : []));
  return starts.at(-count) ?? 0;
}

const leftOut = (steps: number): Entry => ({
  kind: "note",
  text: `(${steps} earlier ${steps === 1 ? "step is" : "steps are"} left out here. What they changed is in the files.)`,
});

function isLeftOut(entry: Entry): boolean {
  return entry.kind === "note" && /^\(\d+ earlier steps? (?:is|are) left out/.test(entry.text);
}

function dropSteps(entries: readonly Entry[]): Entry[] {
  let steps = 0;
  const retained = entries.filter((entry) => {
    if (isLeftOut(entry)) {
      steps += Number(/\d+/.exec(entry.kind === "note" ? entry.text : "")?.[0] ?? 0);
      return false;
    }
    if (entry.kind === "answer") steps += 1;
    return entry.kind === "owner";
  });
  return steps === 0 ? retained : [...retained, leftOut(steps)];
}

function apply(entries: readonly Entry[], cut: Cut): Entry[] {
  const from = lastSteps(entries, cut.fullSteps);
  const older = entries.slice(0, from);
  const maxRecentResultLength = entries
    .slice(from)
    .map((entry) => cutNew(entry, cut.maxRecentResultLength));
  const left = cut.drop ? dropSteps(older) : older.map((entry) => cutOld(entry, cut.older));
  return [...left, ...maxRecentResultLength];
}

/** The size of an entry in characters. */
export function sizeOf(entry: Entry): number {
  if (entry.kind === "note") return entry.text.length;
  if (entry.kind === "answer") return entry.text.length + JSON.stringify(entry.calls).length;
  const images = entry.images.filter(({ bytes }) => bytes !== null).length * imageSize;
  if (entry.kind === "owner") return entry.text.length + images;
  return entry.results.reduce((sum, { text }) => sum + text.length, images);
}

export function totalSize(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
}

/**
 * Shortens the entries to at most `maxLength`, with the mildest cut that is sufficient: first older
 * results and calls are shortened, then older steps removed. The owner's messages and images stay;
 * only as a last resort are the oldest ones dropped, too.
 * @param weigh measures the result; by default in characters
 */
export function shrinkToFit(
  entries: readonly Entry[],
  maxLength: number,
  weigh: (entries: readonly Entry[]) => number = totalSize,
): Entry[] {
  let best = [...entries];
  for (const cut of cuts) {
    if (weigh(best) <= maxLength) return best;
    best = apply(best, cut);
  }
  while (weigh(best) > maxLength) {
    const oldest = best.findIndex((entry) => entry.kind === "owner");
    const last = best.findLastIndex((entry) => entry.kind === "owner");
    if (oldest < 0 || oldest === last) break;
    best = best.toSpliced(oldest, 1);
  }
  return best;
}
