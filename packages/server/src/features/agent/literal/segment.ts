/**
 * How a text is written in its place, which determines decoding and encoding. A `property` is the
 * quoted attribute of a component: Astro passes it on unchanged, including entities.
 */
export type SegmentKind = "text" | "attribute" | "property" | "string" | "json" | "markdown";

/** A range of a source file that contains a text people read. */
export interface Segment {
  kind: SegmentKind;
  /** Offsets of the text in the source, without quotes. */
  start: number;
  end: number;
  /** The surrounding quote, which determines what is escaped. */
  quote: '"' | "'" | "`" | "";
  /** The attribute, property, or key whose value it is. */
  name: string;
  /** The tag that contains it; "" elsewhere. */
  tag: string;
}

/** A decoded text and the source offsets of its characters. */
export interface Decoded {
  text: string;
  /** offsets[i] is where character i begins; the last one is the end. */
  offsets: number[];
}

const entities: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  copy: "©",
  middot: "·",
  bull: "•",
  shy: "\u00ad",
};

const escapes: Record<string, string> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
};

function entityAt(source: string, at: number): { text: string; length: number } | null {
  const match = /^&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/i.exec(source.slice(at, at + 12));
  if (match === null) return null;
  const [whole, hex, decimal, name] = match;
  const text =
    name === undefined
      ? String.fromCodePoint(
          Math.min(Number.parseInt(hex ?? decimal ?? "0", hex === undefined ? 10 : 16), 0x10ffff),
        )
      : entities[name];
  return text === undefined ? null : { text, length: whole.length };
}

function escapeAt(source: string, at: number): { text: string; length: number } | null {
  if (source[at] !== "\\") return null;
  const unicode = /^\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/i.exec(
    source.slice(at, at + 12),
  );
  if (unicode !== null) {
    const code = Number.parseInt(unicode[1] ?? unicode[2] ?? unicode[3] ?? "0", 16);
    return { text: String.fromCodePoint(Math.min(code, 0x10ffff)), length: unicode[0].length };
  }
  const next = source[at + 1] ?? "";
  return { text: escapes[next] ?? next, length: 2 };
}

/** Whether any amount of white space reads as one space. */
function collapses(kind: SegmentKind): boolean {
  return kind === "text" || kind === "markdown";
}

/** The text of a segment as people read it. */
export function decode(source: string, segment: Segment): Decoded {
  const markup = segment.kind === "text" || segment.kind === "attribute";
  const escaped = segment.kind === "string" || segment.kind === "json";
  let text = "";
  const offsets: number[] = [];
  let at = segment.start;
  while (at < segment.end) {
    let length = 1;
    let piece = source[at] ?? "";
    const special = markup ? entityAt(source, at) : escaped ? escapeAt(source, at) : null;
    if (special !== null) {
      piece = special.text;
      length = special.length;
    } else if (collapses(segment.kind) && /\s/.test(piece) && piece !== "\u00a0") {
      piece = " ";
      while (at + length < segment.end && /\s/.test(source[at + length] ?? "")) length += 1;
    }
    for (let i = 0; i < piece.length; i += 1) offsets.push(at);
    text += piece;
    at += length;
  }
  offsets.push(segment.end);
  return { text, offsets };
}

/** A text encoded for a segment. */
export function encode(text: string, segment: Pick<Segment, "kind" | "quote">): string {
  if (segment.kind === "json") return JSON.stringify(text).slice(1, -1);
  if (segment.kind === "text") {
    return text
      .replace(/&(?=#?\w+;)/g, "&amp;")
      .replace(/[<>{}]/g, (c) => `&#${c.codePointAt(0)};`);
  }
  if (segment.kind === "attribute") {
    const safe = text.replace(/&(?=#?\w+;)/g, "&amp;");
    return safe.replaceAll(segment.quote || '"', segment.quote === "'" ? "&#39;" : "&quot;");
  }
  if (segment.kind === "string") {
    return text
      .replaceAll("\\", "\\\\")
      .replaceAll(segment.quote, `\\${segment.quote}`)
      .replaceAll("\n", "\\n")
      .replaceAll("${", segment.quote === "`" ? "\\${" : "${");
  }
  return text;
}

export interface Edit {
  /** Offsets in the source, inside the segment. */
  start: number;
  end: number;
  /** As people read it. */
  text: string;
}

/** The source with places in one segment replaced. */
export function rewrite(
  source: string,
  segment: Pick<Segment, "kind" | "quote" | "start" | "end">,
  edits: readonly Edit[],
): string {
  let { end } = segment;
  let inner = "";
  for (const edit of edits.toSorted((a, b) => b.start - a.start)) {
    inner = encode(edit.text, segment) + source.slice(edit.end, end) + inner;
    end = edit.start;
  }
  inner = source.slice(segment.start, end) + inner;
  // A property can't contain its own quote, because it can't be escaped. An expression can.
  if (segment.kind === "property" && inner.includes(segment.quote)) {
    const value = `{${JSON.stringify(inner)}}`;
    return source.slice(0, segment.start - 1) + value + source.slice(segment.end + 1);
  }
  return source.slice(0, segment.start) + inner + source.slice(segment.end);
}
