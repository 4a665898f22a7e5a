import { isMap, isPair, isScalar, LineCounter, parseDocument } from "yaml";
import type { Document } from "yaml";
import { jsonDepth } from "../../../kit/json.ts";

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

const other = (language: string) =>
  `The front matter is ${language}, which is not supported: write it as YAML between two lines of ---.`;

function unsupportedFormat(text: string): FrontMatterError | null {
  const [first = ""] = text.split("\n", 1);
  const named = /^---[ \t]*([a-z]+)[ \t]*$/i.exec(first)?.[1]?.toLowerCase();
  if (named !== undefined && named !== "yaml" && named !== "yml") {
    return { line: 1, message: other(named.toUpperCase()) };
  }
  if (/^\+\+\+[ \t]*$/.test(first)) return { line: 1, message: other("TOML") };
  if (/^;;;[ \t]*$/.test(first) || /^\{\s*(?:"|$)/.test(first)) {
    return { line: 1, message: other("JSON") };
  }
  return null;
}

interface Parts {
  yaml: string;
  body: string;
  bodyLine: number;
}

/** Cuts a text at the line that ends its front matter; null where there is none to be cut. */
function cut(text: string): Parts | FrontMatterError | null {
  const opening = /^---[ \t]*(?:ya?ml)?[ \t]*\n/i.exec(text);
  if (opening === null) return null;
  const rest = text.slice(opening[0].length);
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\n|$)/m.exec(rest);
  if (closing === null) {
    return { line: 1, message: "The front matter is not closed by a line of ---." };
  }
  const yaml = rest.slice(0, closing.index);
  if (yaml.length > maxLength) {
    return { line: 1, message: `The front matter is longer than ${maxLength / 1024} KiB.` };
  }
  if (jsonDepth(yaml) > maxDepth)
    return { line: 1, message: "The front matter lies too deep in itself." };
  const bodyLine = 1 + (opening[0] + yaml + closing[0]).split("\n").length - 1;
  return { yaml, body: rest.slice(closing.index + closing[0].length), bodyLine };
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
  BLOCK_AS_IMPLICIT_KEY: "a text with a colon in it has to stand in quotes",
  BAD_SCALAR_START: "a text that begins with such a sign has to stand in quotes",
  DUPLICATE_KEY: "a name stands there twice",
};

function readYaml({ yaml, body, bodyLine }: Parts): FrontMatter | FrontMatterError {
  const lines = new LineCounter();
  const lineAt = (offset: number) => lines.linePos(offset).line + 1;
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false, merge: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const why = faults[error.code] ?? firstLine(error.message);
    const message = `The front matter is no YAML: ${why}`;
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
    return { line: 2, message: "The front matter is not a list of names with values." };
  }
  const plain = document.toJS({ maxAliasCount: maxAliases }) as Record<string, unknown>;
  return { values: new Map(Object.entries(plain)), lineOf, body, bodyLine };
}

/**
 * Reads the YAML front matter of a text with line feeds, in the form that Jekyll began: between two
 * lines of `---`. Gives what is wrong with it where it is another language, is not closed or is no
 * YAML, or where its aliases or its depth are beyond any use.
 */
export function readFrontMatter(text: string): FrontMatter | FrontMatterError {
  const foreign = unsupportedFormat(text);
  if (foreign !== null) return foreign;
  const parts = cut(text);
  if (parts === null) return { values: new Map(), lineOf: () => 1, body: text, bodyLine: 1 };
  if ("message" in parts) return parts;
  try {
    return readYaml(parts);
  } catch (error) {
    // Aliases of aliases, and lists thousands deep in each other.
    const why = error instanceof RangeError ? "it lies too deep" : firstLine(String(error));
    return { line: 1, message: `The front matter can't be read: ${why}.` };
  }
}
