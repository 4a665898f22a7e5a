import { type Attribute, readAstro } from "./astro-source.ts";
import { type JsonPath, jsonStringAt } from "./json-source.ts";
import { rewrite, type Segment } from "./segment.ts";
import type { SiteSource } from "./site-source.ts";

/** Where the text behind an attribute is stored. */
export interface ValuePlace {
  file: string;
  segment: Pick<Segment, "kind" | "quote" | "start" | "end">;
}

/** The parts of `a.b["c"][0]`; null for anything else, such as a call or a template. */
function memberPath(expression: string): JsonPath | null {
  const trimmed = expression.trim();
  if (!/^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*|\[(?:"[^"]*"|'[^']*'|\d+)\])*$/.test(trimmed)) {
    return null;
  }
  return [...trimmed.matchAll(/[A-Za-z_$][\w$]*|\[(?:"([^"]*)"|'([^']*)'|(\d+))\]/g)].map(
    ([whole, double, single, index]) =>
      index === undefined ? (double ?? single ?? whole) : Number(index),
  );
}

/** What a name refers to in a page's code: a JSON file, another expression, or a literal. */
function definition(code: string, name: string): { expression: string; rest: JsonPath } | null {
  const plain = new RegExp(`\\b(?:const|let)\\s+${name}\\s*(?::[^=;]+)?=\\s*([^;\\n]+)`).exec(code);
  if (plain?.[1] !== undefined) return { expression: plain[1], rest: [] };
  for (const [, names, expression] of code.matchAll(
    /\b(?:const|let)\s*\{([^}]*)\}\s*=\s*([^;\n]+)/g,
  )) {
    for (const entry of (names ?? "").split(",")) {
      const [key, alias] = entry.split(/[:=]/).map((part) => part.trim());
      const local = entry.includes(":") ? alias : key;
      if (local === name && key !== undefined) return { expression: expression ?? "", rest: [key] };
    }
  }
  return null;
}

function literalPlace(site: SiteSource, file: string, name: string): ValuePlace | null {
  const source = site.text(file);
  const { code, segments } = readAstro(source);
  const match = new RegExp(`\\b(?:const|let)\\s+${name}\\s*(?::[^=;]+)?=\\s*["'\`]`).exec(
    source.slice(code.start, code.end),
  );
  if (match === null) return null;
  const start = code.start + match.index + match[0].length;
  const segment = segments.find((s) => s.start === start && s.kind === "string");
  return segment === undefined ? null : { file, segment };
}

function resolve(site: SiteSource, file: string, path: JsonPath, depth: number): ValuePlace | null {
  const [root, ...rest] = path;
  if (typeof root !== "string" || depth > 5) return null;
  const imported = site.imports(file).find((entry) => entry.name === root)?.path;
  if (imported?.endsWith(".json") === true) {
    const segment = jsonStringAt(site.text(imported), rest);
    return segment === undefined ? null : { file: imported, segment };
  }
  if (rest.length === 0) {
    const literal = literalPlace(site, file, root);
    if (literal !== null) return literal;
  }
  const { code } = readAstro(site.text(file));
  const defined = definition(site.text(file).slice(code.start, code.end), root);
  const inner = defined === null ? null : memberPath(defined.expression);
  if (defined === null || inner === null) return null;
  return resolve(site, file, [...inner, ...defined.rest, ...rest], depth + 1);
}

/** Follows an attribute to its text; null if code composes the text. */
export function placeOfAttribute(
  site: SiteSource,
  file: string,
  attribute: Attribute,
): ValuePlace | null {
  const { start, end, quote } = attribute;
  if (!attribute.expression) {
    return end === 0 ? null : { file, segment: { kind: attribute.kind, quote, start, end } };
  }
  const expression = site.text(file).slice(start, end);
  const literal = /^\s*(["'`])((?:(?!\1|\$\{)[\s\S])*)\1\s*$/.exec(expression);
  if (literal?.[1] !== undefined) {
    const from = start + expression.indexOf(literal[1]) + 1;
    const segment = { kind: "string" as const, quote: literal[1] as Segment["quote"] };
    return { file, segment: { ...segment, start: from, end: from + (literal[2]?.length ?? 0) } };
  }
  const path = memberPath(expression);
  return path === null ? null : resolve(site, file, path, 0);
}

/** The source of an expression's value; the first operand of `||` or `??`. */
function sourcePath(code: string, expression: string, depth: number): JsonPath | null {
  const [first = ""] = expression.replace(/\s+as\s+[\w$.]+\s*$/, "").split(/\|\||\?\?/);
  const path = memberPath(first);
  const [root, ...rest] = path ?? [];
  if (path === null || typeof root !== "string" || depth > 5) return null;
  const defined = definition(code, root);
  if (defined === null) return path;
  const inner = sourcePath(code, defined.expression, depth + 1);
  return inner && [...inner, ...defined.rest, ...rest];
}

/**
 * The prop that an attribute shows, or shows first: `name` for `project.name`. Null for anything
 * else.
 */
export function propertyOfProps(
  site: SiteSource,
  file: string,
  { expression, start, end }: Attribute,
): string | null {
  if (!expression) return null;
  const source = site.text(file);
  const { code } = readAstro(source);
  const path = sourcePath(source.slice(code.start, code.end), source.slice(start, end), 0) ?? [];
  const property = path.length > 2 ? path.at(-1) : undefined;
  return path[0] === "Astro" && path[1] === "props" && typeof property === "string"
    ? property
    : null;
}

/** Writes a text to a place, in memory. */
export function setValue(site: SiteSource, { file, segment }: ValuePlace, text: string): void {
  const { start, end } = segment;
  site.set(file, rewrite(site.text(file), segment, [{ start, end, text }]));
}
