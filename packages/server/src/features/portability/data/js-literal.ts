import { isMediaName } from "../folder/media-names.ts";
import { endOfString, type Scan, scanOf, skipBlank, skipTo } from "./js-scan.ts";

/** Above the number and depth of values in any real list of projects. */
const maxValues = 50_000;
const maxDepth = 24;
const maxDeclarations = 500;
/** Maximum characters of the type between a name and its value. */
const maxTypeLength = 2000;

interface Reading extends Scan {
  at: number;
  values: number;
  /** The values of names: imported files, and values read before. */
  names: Map<string, unknown>;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "", "\n": "" };

function unescape(text: string): string {
  return text.replace(
    /\\(?:u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})|([\s\S]))/gi,
    (_whole, braced?: string, four?: string, two?: string, plain?: string) => {
      const code = Number.parseInt(braced ?? four ?? two ?? "", 16);
      if (Number.isNaN(code)) return escapes[plain ?? ""] ?? plain ?? "";
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : "";
    },
  );
}

/** A quoted text; undefined if it is known only at run time. */
function readString(reading: Reading): string | undefined {
  const { source, at } = reading;
  const end = endOfString(reading, at);
  if (end < 0) {
    reading.at = source.length;
    return undefined;
  }
  reading.at = end;
  const text = source.slice(at + 1, end - 1);
  return source[at] === "`" && text.includes("${") ? undefined : unescape(text);
}

const peek = (reading: Reading) => {
  reading.at = skipBlank(reading.source, reading.at);
  return reading.source[reading.at] ?? "";
};

/** Skips the comma after a value. */
function nextItem(reading: Reading): void {
  reading.at = skipTo(reading, reading.at, ",");
  if (reading.source[reading.at] === ",") reading.at += 1;
}

/** Whether a list continues; skips its end. */
function isOpen(reading: Reading, close: string): boolean {
  const next = peek(reading);
  if (next === close) reading.at += 1;
  // A bracket of another kind: the list is incomplete.
  return next !== close && next !== "" && !")]}".includes(next);
}

function readArray(reading: Reading, depth: number): unknown[] {
  const items: unknown[] = [];
  reading.at += 1;
  while (isOpen(reading, "]")) {
    const isSpread = reading.source.startsWith("...", reading.at);
    const item = isSpread ? undefined : readValue(reading, depth);
    if (item !== undefined) items.push(item);
    nextItem(reading);
  }
  return items;
}

const identifier = /[A-Za-z_$][\w$]*/y;

function readName(reading: Reading): string | null {
  identifier.lastIndex = reading.at;
  const name = identifier.exec(reading.source)?.[0];
  if (name === undefined) return null;
  reading.at += name.length;
  return name;
}

function readKey(reading: Reading): string | null {
  const next = peek(reading);
  if (next === '"' || next === "'") return readString(reading) ?? null;
  const number = /\d+/y;
  number.lastIndex = reading.at;
  const digits = number.exec(reading.source)?.[0];
  if (digits === undefined) return readName(reading);
  reading.at += digits.length;
  return digits;
}

function readObject(reading: Reading, depth: number): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  reading.at += 1;
  while (isOpen(reading, "}")) {
    const key = readKey(reading);
    if (key !== null && peek(reading) === ":") {
      reading.at += 1;
      const value = readValue(reading, depth);
      if (value !== undefined) entries.push([key, value]);
    } else if (key !== null && ",}".includes(peek(reading)) && reading.names.has(key)) {
      entries.push([key, reading.names.get(key)]);
    }
    nextItem(reading);
  }
  return Object.fromEntries(entries);
}

/** The first argument of a call if it is a text, or a list in a declaration. */
function readCall(reading: Reading, depth: number): unknown {
  reading.at += 1;
  const isList = depth === 0 && /[[{]/.test(peek(reading));
  const isText = /["'`]/.test(peek(reading));
  const text = isList ? readValue(reading, depth + 1) : isText ? readString(reading) : undefined;
  reading.at = skipTo(reading, reading.at, ")");
  if (reading.source[reading.at] === ")") reading.at += 1;
  return text;
}

const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/** Skips members of an object, such as `.freeze`. */
function skipMembers(reading: Reading): void {
  while (reading.source[reading.at] === ".") {
    reading.at += 1;
    readName(reading);
  }
}

/** A name, or a call such as `require("./a.png")` or `new Date("2024-05-04")`. */
function readNamed(reading: Reading, depth: number): unknown {
  let name = readName(reading);
  if (name === "new" || name === "await") {
    peek(reading);
    name = readName(reading);
  }
  if (name === null) return undefined;
  if (Object.hasOwn(words, name)) return words[name];
  if (depth === 0) skipMembers(reading);
  if (peek(reading) !== "(") return reading.names.get(name);
  const given = readCall(reading, depth);
  if (typeof given !== "string") return given;
  return isMediaName(given.replace(/[?#].*$/, "")) || name === "Date" ? given : undefined;
}

function readPrimary(reading: Reading, depth: number): unknown {
  const next = peek(reading);
  if (next === "[") return readArray(reading, depth + 1);
  if (next === "{") return readObject(reading, depth + 1);
  if (next === '"' || next === "'" || next === "`") return readString(reading);
  const number = /[-+]?(?:\d[\d_]*(?:\.\d+)?|\.\d+)/y;
  number.lastIndex = reading.at;
  const digits = number.exec(reading.source)?.[0];
  if (digits === undefined) return readNamed(reading, depth);
  reading.at += digits.length;
  return Number(digits.replaceAll("_", ""));
}

/** A literal value; undefined for a computed one. Stops before what follows it. */
function readValue(reading: Reading, depth: number): unknown {
  reading.values += 1;
  if (depth > maxDepth || reading.values > maxValues) {
    reading.at = reading.source.length;
    return undefined;
  }
  let value = readPrimary(reading, depth);
  while (peek(reading) === "+" && typeof value === "string") {
    reading.at += 1;
    const more = readPrimary(reading, depth);
    value = typeof more === "string" ? value + more : undefined;
  }
  const { source, at } = reading;
  const rest = source.slice(at, at + 16);
  const isEnd = rest === "" || ",;)]}".includes(rest[0] ?? "");
  if (depth === 0) {
    // Followed by the next declaration, a type, or a call that keeps the list's entries.
    const isOther = /^[.?+*/%&|=<>(]/.test(rest);
    return isOther && !/^\.(?:sort|toSorted|reverse|toReversed|filter)\(/.test(rest)
      ? undefined
      : value;
  }
  if (isEnd) return value;
  reading.at = skipTo(reading, at, ",;");
  // A type, or the address of an imported image.
  return /^(?:as\b|satisfies\b|!|\.(?:src|default)\b)/.test(rest) ? value : undefined;
}

const imported = /^import\s+(?:\*\s+as\s+)?([A-Za-z_$][\w$]*)\s+from\s+["']([^"'\n]+)["']/gm;
const declared =
  /^(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)|^export\s+default\b|^module\.exports\s*(?==)|^exports\.([A-Za-z_$][\w$]*)/gm;

/** The position after the `=` of a declaration and its type; -1 if there is none. */
function startOfValue(scan: Scan, at: number): number {
  const { source } = scan;
  const end = Math.min(source.length, at + maxTypeLength);
  for (let start = at; ;) {
    const sign = skipTo(scan, start, "=;", end);
    if (sign >= end || source[sign] !== "=") return -1;
    if (source[sign + 1] !== ">") return sign + 1;
    start = sign + 2;
  }
}

/**
 * The values that a JavaScript or TypeScript module declares literally at its top level: texts,
 * numbers, lists, and objects. No code runs, and computed values are left out. Returns them by
 * name; the module's default export is called `default`.
 */
export function readModuleValues(source: string): Map<string, unknown> {
  const names = new Map<string, unknown>();
  for (const [, name = "", from = ""] of source.matchAll(imported)) {
    if (isMediaName(from.replace(/[?#].*$/, ""))) names.set(name, from);
  }
  const found = new Map<string, unknown>();
  const reading: Reading = { ...scanOf(source), at: 0, values: 0, names };
  let count = 0;
  for (const match of source.matchAll(declared)) {
    if (match.index < reading.at) continue;
    count += 1;
    if (count > maxDeclarations) break;
    const name = match[1] ?? match[2] ?? "default";
    const end = match.index + match[0].length;
    const start = match[0].startsWith("export default") ? end : startOfValue(reading, end);
    if (start < 0) continue;
    reading.at = start;
    const value = readValue(reading, 0);
    if (value === undefined || value === null) continue;
    names.set(name, value);
    found.set(name, value);
  }
  return found;
}
