import type { AstNode, AstroCompiler } from "./compiler.ts";

/** Elements that show nothing themselves, or aren't elements in the page. */
const untagged = new Set(
  "html head meta link title base script style template noscript slot br wbr source track".split(
    " ",
  ),
);
/** Their content is text, or belongs to a single image. */
const closed = new Set(["template", "svg", "script", "style", "noscript", "textarea", "head"]);

interface Found {
  /** Offset of the element's "<". */
  start: number;
  /** Where the tag goes: right after the element's name. */
  at: number;
}

function isNode(value: unknown): value is AstNode {
  return typeof value === "object" && value !== null && typeof Object(value).type === "string";
}

/** Adds an element if it is a plain one; false if its content must be skipped. */
function addElement(source: string, element: AstNode, found: Found[]): boolean {
  const opening = element["openingElement"] as AstNode;
  const name = opening["name"] as AstNode;
  const tag = name.type === "JSXIdentifier" ? String(name["name"]) : "";
  const text = source.slice(opening.start, opening.end);
  // A name with a dash is a custom element, which Astro renders as a component; and Astro inserts
  // the attributes of transitions before all others.
  const plain = /^[a-z][a-z0-9]*$/.test(tag) && text.startsWith(`<${tag}`);
  if (plain && !untagged.has(tag) && !/\stransition:/.test(text)) {
    found.push({ start: opening.start, at: name.end });
  }
  return !closed.has(tag) && !/\bis:raw\b/.test(text);
}

/** Finds the plain elements of a node and its descendants. */
function collect(source: string, node: AstNode, found: Found[]): void {
  if (node.type === "JSXElement" && !addElement(source, node, found)) return;
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) collect(source, item, found);
    } else if (isNode(value)) collect(source, value, found);
  }
}

/** A place in a source file, starting at 1; columns count UTF-16 units. */
export interface SourcePlace {
  line: number;
  column: number;
}

function placesOf(source: string, found: Found[]): SourcePlace[] {
  let line = 1;
  let lineStart = 0;
  return found.map(({ start }) => {
    for (;;) {
      const next = source.indexOf("\n", lineStart);
      if (next < 0 || next >= start) return { line, column: start - lineStart + 1 };
      lineStart = next + 1;
      line += 1;
    }
  });
}

/** A source file whose elements have tags. */
export interface TaggedSource {
  /** The file with tags, numbered from `firstTag`. */
  write(firstTag: number): string;
  /** By tag: the element's place in the file. */
  places: SourcePlace[];
}

function hasErrors({ diagnostics }: { diagnostics: { severity: string }[] }): boolean {
  return diagnostics.some(({ severity }) => severity === "error");
}

/** Whether both compile to the same program except for the tags in one of them. */
async function compileAlike(
  compiler: AstroCompiler,
  [source, tagged]: [string, string],
  name: string,
): Promise<boolean> {
  const settings = { compact: "jsx", filename: "/a.astro", normalizedFilename: "/a.astro" };
  const [plain, other] = await Promise.all([
    compiler.transform(source, settings),
    compiler.transform(tagged, settings),
  ]);
  return (
    !hasErrors(plain) &&
    !hasErrors(other) &&
    plain.scope === other.scope &&
    plain.css.join("\0") === other.css.join("\0") &&
    plain.code === other.code.replaceAll(new RegExp(` ${name}="\\d+"`, "g"), "")
  );
}

/**
 * Adds a tag to every plain element in the markup of an .astro file: an attribute `name`, which no
 * page has, with a number. Lines don't change. The compiler verifies that the file without its tags
 * compiles to the same program; if not, or if it reports anything about the file, returns
 * undefined, and the file is built unchanged.
 */
export async function tagSource(
  compiler: AstroCompiler,
  source: string,
  name: string,
): Promise<TaggedSource | undefined> {
  const parsed = await compiler.parse(source);
  if (hasErrors(parsed) || source.includes(name)) return undefined;
  const found: Found[] = [];
  for (const node of parsed.ast.body ?? []) collect(source, node, found);
  if (found.length === 0) return undefined;
  found.sort((a, b) => a.at - b.at);
  const pieces = found.map(({ at }, index) => source.slice(found[index - 1]?.at ?? 0, at));
  const rest = source.slice(found.at(-1)?.at);
  const write = (firstTag: number) =>
    pieces.map((piece, index) => `${piece} ${name}="${firstTag + index}"`).join("") + rest;
  if (!(await compileAlike(compiler, [source, write(0)], name))) return undefined;
  return { write, places: placesOf(source, found) };
}
