import { isMap, isPair, isScalar, LineCounter, parseDocument } from "yaml";
import type { Document } from "yaml";
import { parse as parseToml, TomlError } from "smol-toml";
import { jsonDepth, parseJson } from "../../../kit/json.ts";

/** What stands above a text, and the text. */
export interface FrontMatter {
  /** By the names as they are written; empty where there is none. */
  values: Map<string, unknown>;
  /** The line of a name, or of what is inside its value, from 1. */
  lineOf(path: readonly (string | number)[]): number;
  body: string;
  /** The line of the text's first character, from 1. */
  bodyLine: number;
}

export interface FrontMatterError {
  line: number;
  message: string;
}

/** More than any case study says of itself, in characters. */
const maxLength = 64 * 1024;
/** How deep lists may lie in each other: beyond it reading takes seconds. */
const maxDepth = 100;
/** How often aliases may be followed: what is repeated may otherwise grow without end. */
const maxAliases = 50;

type Format = "yaml" | "toml" | "json";

interface Parts {
  format: Format;
  source: string;
  body: string;
  bodyLine: number;
}

/** How a front matter begins and ends: Jekyll's, Hugo's, and gray-matter's with a language named. */
const fences: readonly { opening: RegExp; closing: RegExp; format: Format }[] = [
  { opening: /^---[ \t]*toml[ \t]*\n/i, closing: /^---[ \t]*(?:\n|$)/m, format: "toml" },
  { opening: /^---[ \t]*json[ \t]*\n/i, closing: /^---[ \t]*(?:\n|$)/m, format: "json" },
  {
    opening: /^---[ \t]*(?:ya?ml)?[ \t]*\n/i,
    closing: /^(?:---|\.\.\.)[ \t]*(?:\n|$)/m,
    format: "yaml",
  },
  { opening: /^\+\+\+[ \t]*\n/, closing: /^\+\+\+[ \t]*(?:\n|$)/m, format: "toml" },
  { opening: /^;;;[ \t]*\n/, closing: /^;;;[ \t]*(?:\n|$)/m, format: "json" },
];

/** Where the JSON object ends that a text begins with; -1 where it never does. */
function endOfObject(text: string): number {
  const token = /"(?:[^"\\]|\\.)*"|[{}]/g;
  let depth = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === "{") depth += 1;
    else if (found[0] === "}") depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return -1;
}

function cutObject(text: string): Parts | FrontMatterError {
  const end = endOfObject(text.slice(0, maxLength));
  if (end < 0) return { line: 1, message: "The front matter is incomplete JSON." };
  const source = text.slice(0, end);
  const bodyLine = source.split("\n").length;
  return { format: "json", source, body: text.slice(end), bodyLine };
}

/** Cuts a text at the line that ends its front matter; null where there is none to be cut. */
function cut(text: string): Parts | FrontMatterError | null {
  if (/^\{\s*"/.test(text)) return cutObject(text);
  const fence = fences.find(({ opening }) => opening.test(text));
  const opening = fence?.opening.exec(text);
  const named = /^---[ \t]*([a-z]+)[ \t]*$/im.exec(text.split("\n", 1)[0] ?? "")?.[1];
  if (fence === undefined && named !== undefined) {
    return {
      line: 1,
      message: `The front matter is ${named.toUpperCase()}, which isn't supported.`,
    };
  }
  if (fence === undefined || !opening) return null;
  const rest = text.slice(opening[0].length);
  const closing = fence.closing.exec(rest);
  if (closing === null) {
    const line = opening[0].trim();
    return { line: 1, message: `The front matter doesn't end with a line of ${line.slice(0, 3)}.` };
  }
  const source = rest.slice(0, closing.index);
  if (source.length > maxLength) {
    return { line: 1, message: `The front matter is longer than ${maxLength / 1024} KiB.` };
  }
  if (jsonDepth(source) > maxDepth)
    return { line: 1, message: "The front matter is nested too deeply." };
  const bodyLine = 1 + (opening[0] + source + closing[0]).split("\n").length - 1;
  const body = rest.slice(closing.index + closing[0].length);
  return { format: fence.format, source, body, bodyLine };
}

function firstLine(message: string): string {
  return (message.split("\n", 1)[0] ?? "").replace(/ at line \d+, column \d+:?$/, "");
}

/** The node of a path, or that of the last part of it that there is. */
function startOf(document: Document, path: readonly (string | number)[]): number | null {
  const [name, ...inner] = path;
  const { contents } = document;
  if (!isMap(contents)) return null;
  const pair = contents.items.find(
    (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(name),
  );
  const inside = inner.length > 0 ? document.getIn([name, ...inner], true) : null;
  const node = (inside ?? pair?.key) as { range?: [number, number, number] | null } | undefined;
  return node?.range?.[0] ?? null;
}

/** What people write wrongly most, in their words; else in those of the parser. */
const faults: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: "put a text that contains a colon in quotes",
  BAD_SCALAR_START: "put a text that begins with this character in quotes",
};

/** The line of the first name of a path, as it is written at the beginning of a line; else the first. */
function findLine(source: string, path: readonly (string | number)[]): number {
  const name = String(path[0] ?? "").replace(/[^\w-]/g, "");
  const index = source
    .split("\n")
    .findIndex((line) => line.replace(/^[\s"']+/, "").startsWith(name));
  return name === "" || index < 0 ? 1 : index + 2;
}

/** Dates as texts, as YAML's are here. */
function withoutDates(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(withoutDates);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutDates(inner)]),
  );
}

function readOther({ format, source, body, bodyLine }: Parts): FrontMatter | FrontMatterError {
  const language = format.toUpperCase();
  let values: unknown;
  try {
    const text = format === "json" && !/^\s*\{/.test(source) ? `{${source}}` : source;
    values = format === "toml" ? withoutDates(parseToml(source)) : parseJson(text);
  } catch (error) {
    const why = firstLine(error instanceof Error ? error.message : String(error));
    const line = error instanceof TomlError ? error.line + 1 : 1;
    return { line, message: `The front matter isn't valid ${language}: ${why.slice(0, 200)}` };
  }
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    return { line: 1, message: "The front matter isn't a list of names with values." };
  }
  const lineOf = (path: readonly (string | number)[]) => findLine(source, path);
  return { values: new Map(Object.entries(values)), lineOf, body, bodyLine };
}

function parseYaml(yaml: string): { document: Document; lines: LineCounter } {
  const lines = new LineCounter();
  const document = parseDocument(yaml, {
    lineCounter: lines,
    prettyErrors: false,
    merge: false,
    // Ruby's takes the last.
    uniqueKeys: false,
  });
  return { document, lines };
}

const quotedValue = /^[\w-]+:[ \t]*(["'])/;

/**
 * The lines of a quoted text that goes on at the beginning of a line, indented by a space: YAML asks
 * for that, JavaScript's usual parser doesn't.
 */
function indentQuotedLines(yaml: string): string {
  let quote: string | null = null;
  const lines = yaml.split("\n").map((line) => {
    const start = quote === null ? quotedValue.exec(line) : null;
    const rest = start ? line.slice(start[0].length) : line;
    const open = quote ?? start?.[1] ?? null;
    const isInside = quote !== null;
    if (open !== null) {
      const plain = open === '"' ? rest.replace(/\\./g, "") : rest.replaceAll("''", "");
      quote = plain.includes(open) ? null : open;
    }
    return isInside ? ` ${line}` : line;
  });
  return lines.join("\n");
}

function readYaml({ source: yaml, body, bodyLine }: Parts): FrontMatter | FrontMatterError {
  const strict = parseYaml(yaml);
  const isUnclosed = strict.document.errors[0]?.code === "MISSING_CHAR";
  const tolerant = isUnclosed ? parseYaml(indentQuotedLines(yaml)) : strict;
  const { document, lines } = tolerant.document.errors.length === 0 ? tolerant : strict;
  const lineAt = (offset: number) => lines.linePos(offset).line + 1;
  const [error] = document.errors;
  if (error !== undefined) {
    const why = faults[error.code] ?? firstLine(error.message);
    const message = `The front matter isn't valid YAML: ${why}`;
    return { line: lineAt(error.pos[0]), message };
  }
  const lineOf = (path: readonly (string | number)[]) => {
    const start = startOf(document, path);
    return start === null ? 1 : lineAt(start);
  };
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return { values: new Map(), lineOf, body, bodyLine };
  }
  if (!isMap(contents)) {
    return { line: 2, message: "The front matter isn't a list of names with values." };
  }
  const plain = document.toJS({ maxAliasCount: maxAliases }) as Record<string, unknown>;
  return { values: new Map(Object.entries(plain)), lineOf, body, bodyLine };
}

/**
 * Reads the front matter of a text with line feeds: YAML between two lines of `---`, TOML between
 * `+++`, or JSON. Gives what is wrong with it where it is not closed or is none of these, or where its
 * aliases or its depth are beyond any use.
 */
export function readFrontMatter(text: string): FrontMatter | FrontMatterError {
  const parts = cut(text);
  if (parts === null) return { values: new Map(), lineOf: () => 1, body: text, bodyLine: 1 };
  if ("message" in parts) return parts;
  try {
    return parts.format === "yaml" ? readYaml(parts) : readOther(parts);
  } catch (error) {
    // Aliases of aliases, and lists thousands deep in each other.
    const why = error instanceof RangeError ? "it is nested too deeply" : firstLine(String(error));
    return { line: 1, message: `The front matter can't be read: ${why}.` };
  }
}
