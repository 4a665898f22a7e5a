import type { Segment } from "./segment.ts";

export interface Attribute {
  name: string;
  /** Offsets of the value without quotes or braces; both 0 if there is none. */
  start: number;
  end: number;
  quote: Segment["quote"];
  /** Whether it is an expression in braces. */
  expression: boolean;
  kind: "attribute" | "property";
}

export interface Tag {
  name: string;
  start: number;
  /** Just after the name. */
  nameEnd: number;
  /** Just after ">". */
  end: number;
  attributes: Attribute[];
}

export interface AstroSource {
  segments: Segment[];
  tags: Tag[];
  /** Offsets of the code between the --- lines; both 0 if there is none. */
  code: { start: number; end: number };
}

const voids = new Set("area base br col embed hr img input link meta source track wbr".split(" "));

/** A component's attributes are properties; an element's are attributes. */
function kindOn(tag: string): Attribute["kind"] {
  return /^[\p{Lu}]|\./u.test(tag) ? "property" : "attribute";
}

const nameEnd = /[\s=/>{"'`]/;

/**
 * Finds the texts and tags in Astro source and TypeScript. It understands enough of both languages
 * to locate text that people read. Mistakes show up in the build that follows every edit.
 */
class Scanner {
  readonly segments: Segment[] = [];
  readonly tags: Tag[] = [];
  private readonly source: string;
  private at = 0;

  constructor(source: string) {
    this.source = source;
  }

  private startsWith(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  private skipPast(text: string, end: number): void {
    const found = this.source.indexOf(text, this.at);
    this.at = found < 0 ? end : Math.min(end, found + text.length);
  }

  private add(segment: Omit<Segment, "quote"> & { quote?: Segment["quote"] }): void {
    if (segment.end > segment.start) this.segments.push({ quote: "", ...segment });
  }

  /** Code up to `end`, or up to the closing brace. */
  code(start: number, end: number, name = "", tag = ""): void {
    this.at = start;
    let depth = 0;
    while (this.at < end) {
      const c = this.source[this.at] ?? "";
      if (c === "}" && depth === 0) return;
      if (c === "{") depth += 1;
      if (c === "}") depth -= 1;
      if (this.startsWith("//")) this.skipPast("\n", end);
      else if (this.startsWith("/*")) this.skipPast("*/", end);
      else if (c === '"' || c === "'") this.string(c, end, name, tag);
      else if (c === "`") this.template(end, name, tag);
      else if (c === "<" && this.startsMarkup(start)) this.markup(end, true);
      else this.at += 1;
    }
  }

  /**
   * A "<" after an operator or an opening bracket and before a letter starts a tag; otherwise it is
   * less-than or a type.
   */
  private startsMarkup(start: number): boolean {
    if (!/^<[A-Za-z>]/.test(this.source.slice(this.at, this.at + 2))) return false;
    const before = this.source.slice(Math.max(start, this.at - 100), this.at).trimEnd();
    return before === "" || /(?:[({[?:&|,;]|=>|\breturn)$/.test(before);
  }

  private string(quote: '"' | "'", end: number, name: string, tag: string): void {
    const start = this.at + 1;
    this.at = start;
    while (this.at < end && this.source[this.at] !== quote && this.source[this.at] !== "\n") {
      this.at += this.source[this.at] === "\\" ? 2 : 1;
    }
    const imported = /(?:\bfrom|\bimport|\bimport\()\s*$/.test(
      this.source.slice(Math.max(0, start - 20), start - 1),
    );
    if (!imported) this.add({ kind: "string", start, end: this.at, quote, name, tag });
    this.at += 1;
  }

  private template(end: number, name: string, tag: string): void {
    this.at += 1;
    let start = this.at;
    const close = () => this.add({ kind: "string", start, end: this.at, quote: "`", name, tag });
    while (this.at < end && this.source[this.at] !== "`") {
      if (this.source[this.at] === "\\") this.at += 2;
      else if (this.startsWith("${")) {
        close();
        this.code(this.at + 2, end, name, tag);
        this.at += 1;
        start = this.at;
      } else this.at += 1;
    }
    close();
    this.at += 1;
  }

  /** Markup up to `end`; with `single`, one element and its content. */
  markup(end: number, single: boolean): void {
    const open: string[] = [];
    while (this.at < end) {
      if (this.startsWith("<!--")) this.skipPast("-->", end);
      else if (this.startsWith("<!")) this.skipPast(">", end);
      else if (this.startsWith("</")) {
        this.skipPast(">", end);
        open.pop();
        if (single && open.length === 0) return;
      } else if (/^<[A-Za-z>]/.test(this.source.slice(this.at, this.at + 2))) {
        const closed = this.element(end, open);
        if (single && closed && open.length === 0) return;
      } else if (this.source[this.at] === "{") {
        this.code(this.at + 1, end, "", open.at(-1) ?? "");
        this.at += 1;
      } else this.text(end, open.at(-1) ?? "");
    }
  }

  private text(end: number, tag: string): void {
    const start = this.at;
    this.at += 1;
    while (this.at < end && !/[<{]/.test(this.source[this.at] ?? "")) this.at += 1;
    this.add({ kind: "text", start, end: this.at, name: "", tag });
  }

  /** An opening tag. True if the element ends with it. */
  private element(end: number, open: string[]): boolean {
    const tag = this.tag(end);
    const selfClosing = this.source[tag.end - 2] === "/" || voids.has(tag.name);
    if (selfClosing) return true;
    if (tag.name === "script" || tag.name === "style") {
      this.skipPast(`</${tag.name}>`, end);
      return true;
    }
    open.push(tag.name);
    return false;
  }

  private tag(end: number): Tag {
    const start = this.at;
    this.at += 1;
    while (this.at < end && !nameEnd.test(this.source[this.at] ?? "")) this.at += 1;
    const name = this.source.slice(start + 1, this.at);
    const tag: Tag = { name, start, nameEnd: this.at, end: 0, attributes: [] };
    while (this.at < end && this.source[this.at] !== ">") {
      if (this.source[this.at] === "{") {
        // {...spread} or {shorthand}
        const from = this.at + 1;
        this.code(from, end, "", name);
        const short = this.source.slice(from, this.at).trim();
        tag.attributes.push({
          name: short,
          start: from,
          end: this.at,
          quote: "",
          expression: true,
          kind: kindOn(name),
        });
        this.at += 1;
      } else if (/[\s/]/.test(this.source[this.at] ?? "")) this.at += 1;
      else tag.attributes.push(this.attribute(end, name));
    }
    this.at += 1;
    tag.end = this.at;
    this.tags.push(tag);
    return tag;
  }

  private attribute(end: number, tag: string): Attribute {
    const from = this.at;
    this.at += 1;
    while (this.at < end && !nameEnd.test(this.source[this.at] ?? "")) this.at += 1;
    const name = this.source.slice(from, this.at);
    const plain = { name, quote: "" as const, expression: false, kind: kindOn(tag) };
    if (this.source[this.at] !== "=") {
      return { ...plain, start: 0, end: 0 };
    }
    this.at += 1;
    const opening = this.source[this.at] ?? "";
    const start = this.at + 1;
    if (opening === "{") {
      this.code(start, end, name, tag);
      this.at += 1;
      return { ...plain, start, end: this.at - 1, expression: true };
    }
    if (opening === '"' || opening === "'") {
      const close = this.source.indexOf(opening, start);
      this.at = close < 0 ? end : close + 1;
      this.add({ kind: plain.kind, start, end: this.at - 1, quote: opening, name, tag });
      return { ...plain, start, end: this.at - 1, quote: opening };
    }
    if (opening === "`") {
      this.template(end, name, tag);
      return { ...plain, start: start - 1, end: this.at, expression: true };
    }
    while (this.at < end && !/[\s>]/.test(this.source[this.at] ?? "")) this.at += 1;
    return { ...plain, start: start - 1, end: this.at };
  }
}

/** The texts and tags of an .astro file. */
export function readAstro(source: string): AstroSource {
  const scanner = new Scanner(source);
  const front = /^\s*---\r?\n([\s\S]*?)\r?\n---(?=\r?\n|$)/.exec(source);
  const start = front === null ? 0 : front[0].indexOf("---") + 3;
  const end = front === null ? 0 : front[0].length - 3;
  if (front !== null) scanner.code(start, end);
  const rest = new Scanner(source);
  rest.code(front?.[0].length ?? 0, front?.[0].length ?? 0);
  rest.markup(source.length, false);
  return {
    segments: [...scanner.segments, ...rest.segments],
    tags: rest.tags,
    code: { start, end },
  };
}

/** The string literals of a .ts or .js file. */
export function readScript(source: string): Segment[] {
  const scanner = new Scanner(source);
  scanner.code(0, source.length);
  return scanner.segments;
}
