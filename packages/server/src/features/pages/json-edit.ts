import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../kit/json.ts";

/** The position of a value in a JSON text, from `start` to before `end`. */
interface Span {
  start: number;
  end: number;
  /** The start of its key, in an object. */
  key?: number;
  members?: Map<string, Span>;
  items?: Span[];
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

const whitespace = /[\s\uFEFF]*/y;
const scalar = /"(?:[^"\\]|\\.)*"|[^\s,\]}]+/y;

/** Finds the values of a text that is known to be JSON. */
class Scanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  skip(): void {
    whitespace.lastIndex = this.at;
    whitespace.exec(this.text);
    this.at = whitespace.lastIndex;
  }

  token(): string {
    scalar.lastIndex = this.at;
    const [found = ""] = scalar.exec(this.text) ?? [];
    this.at += found.length;
    return found;
  }

  /** Moves to the next entry of a list; returns false at its end, which is consumed. */
  next(close: string): boolean {
    this.skip();
    if (this.text[this.at] === ",") {
      this.at += 1;
      this.skip();
    }
    if (this.text[this.at] !== close) return true;
    this.at += 1;
    return false;
  }

  value(): Span {
    this.skip();
    const start = this.at;
    const open = this.text[start];
    if (open === "{") {
      this.at += 1;
      const members = new Map<string, Span>();
      while (this.next("}")) {
        const at = this.at;
        const key = String(parseJson(this.token()));
        this.skip();
        this.at += 1;
        members.set(key, { ...this.value(), key: at });
      }
      return { start, end: this.at, members };
    }
    if (open === "[") {
      this.at += 1;
      const items: Span[] = [];
      while (this.next("]")) items.push(this.value());
      return { start, end: this.at, items };
    }
    this.token();
    return { start, end: this.at };
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The indentation of the line at this position. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function written(text: string, at: number, value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${indentAt(text, at)}`);
}

/** Removes the members that are undefined in `after`; returns the remaining ones. */
function removeMembers(span: Span, after: Record<string, unknown>, edits: Edit[]): Span[] {
  const kept: Span[] = [];
  let first: number | undefined;
  let end = span.start;
  for (const [key, member] of span.members ?? []) {
    const isRemoved = key in after && after[key] === undefined;
    if (isRemoved && kept.length > 0) edits.push({ start: end, end: member.end, text: "" });
    if (isRemoved && kept.length === 0) first ??= member.key;
    if (!isRemoved && kept.length === 0 && first !== undefined) {
      edits.push({ start: first, end: member.key ?? first, text: "" });
    }
    if (!isRemoved) kept.push(member);
    end = member.end;
  }
  return kept;
}

function collectMembers(
  text: string,
  span: Span,
  change: { before: Record<string, unknown>; after: Record<string, unknown> },
  edits: Edit[],
): void {
  const { before, after } = change;
  const added: string[] = [];
  const kept = removeMembers(span, after, edits);
  const last = kept.at(-1);
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const member = span.members?.get(key);
    if (member) collect(text, member, { before: before[key], after: value }, edits);
    else if (last) {
      added.push(`,\n${indentAt(text, last.start)}${JSON.stringify(key)}: `);
      added.push(written(text, last.start, value));
    }
  }
  if (last) edits.push({ start: last.end, end: last.end, text: added.join("") });
  else edits.push({ start: span.start, end: span.end, text: written(text, span.start, after) });
}

function collect(
  text: string,
  span: Span,
  change: { before: unknown; after: unknown },
  edits: Edit[],
): void {
  const { before, after } = change;
  if (isDeepStrictEqual(before, after)) return;
  if (span.members && isObject(before) && isObject(after)) {
    collectMembers(text, span, { before, after }, edits);
  } else if (
    span.items &&
    Array.isArray(before) &&
    Array.isArray(after) &&
    before.length === after.length
  ) {
    for (const [index, item] of span.items.entries()) {
      collect(text, item, { before: before[index], after: after[index] }, edits);
    }
  } else {
    edits.push({ start: span.start, end: span.end, text: written(text, span.start, after) });
  }
}

/**
 * The JSON text with the values of `after`. All else stays byte for byte: formatting, and keys that
 * `after` doesn't name; a key that is undefined there is taken out. A list that grows or shrinks is written again as a whole.
 */
export function editJson(text: string, after: unknown): string {
  const span = new Scanner(text).value();
  const edits: Edit[] = [];
  collect(text, span, { before: parseJson(text), after }, edits);
  let at = 0;
  let result = "";
  for (const edit of edits.toSorted(
    (one, other) => one.start - other.start || one.end - other.end,
  )) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}
