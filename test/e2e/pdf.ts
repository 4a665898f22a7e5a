import { readFile } from "node:fs/promises";
import { inflateSync } from "node:zlib";

/** What a test asks of a PDF, read from its bytes as they are in the file. */
export interface PdfFacts {
  /** The file without its streams. */
  source: string;
  /** What is drawn on each page. */
  pages: string[];
  /** The kind of the last content of each page, such as `P`; what is no content is left out. */
  lastTags: string[];
  /** The letters that glyphs are said to stand for. */
  letters: Set<string>;
  fonts: string[];
  /** Titles of the bookmarks. */
  titles: string[];
  links: string[];
}

/** Reads what pdfkit writes; other programs may write the same otherwise. */
export async function readPdf(file: string): Promise<PdfFacts> {
  const bytes = await readFile(file);
  const text = bytes.toString("latin1");
  const streams: string[] = [];
  const source = text.replace(/stream\n([^]*?)\nendstream/g, (_, body: string) => {
    const packed = Buffer.from(body, "latin1");
    streams.push(packed[0] === 0x78 ? inflateSync(packed).toString("latin1") : body);
    return "";
  });
  const pages = streams.filter((stream) => stream.includes(" BDC"));
  const maps = streams.filter((stream) => stream.includes("begincmap"));
  const codes = maps.flatMap((map) => map.match(/<[0-9a-f ]{4,}>/g) ?? []);
  return {
    source,
    pages,
    lastTags: pages.map((page) => [...page.matchAll(/\/(\w+) <<\n?\/MCID/g)].at(-1)?.[1] ?? ""),
    letters: new Set(
      codes.flatMap((code) => {
        const units = code.replace(/[<> ]/g, "").match(/.{4}/g) ?? [];
        return units.map((unit) => String.fromCharCode(Number.parseInt(unit, 16)));
      }),
    ),
    fonts: [...source.matchAll(/\/FontName \/(\S+)/g)].map((match) => match[1] ?? ""),
    titles: [...source.matchAll(/\/Title \(([^]*?)\)\n/g)].map((match) => match[1] ?? ""),
    links: [...source.matchAll(/\/URI \(([^]*?)\)/g)].map((match) => match[1] ?? ""),
  };
}

/** The words of a file of pdfkit, each page's in the order in which they are drawn; `□` is no letter. */
export function readPdfText(bytes: Uint8Array): string[] {
  const objects = new Map<string, { head: string; body: string }>();
  const text = Buffer.from(bytes).toString("latin1");
  for (const [, id = "", all = ""] of text.matchAll(/(\d+) 0 obj\n([^]*?)\nendobj/g)) {
    const [head = "", packed = ""] = all.split(/stream\n([^]*?)\nendstream/);
    const stream = Buffer.from(packed, "latin1");
    const body = stream[0] === 0x78 ? inflateSync(stream).toString("latin1") : packed;
    objects.set(id, { head, body });
  }
  const follow = (from: string, key: string) =>
    objects.get(new RegExp(`/${key} (\\d+) 0 R`).exec(from)?.[1] ?? "") ?? { head: "", body: "" };
  const pages = [...objects.values()].filter(({ head }) => head.includes("/Type /Page\n"));
  return pages.map(({ head }) => {
    const fonts = follow(head, "Resources").head;
    let letters: string[] = [];
    let words = "";
    for (const [part, font, glyphs = ""] of follow(head, "Contents").body.matchAll(
      /\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ|\bBDC\b/g,
    )) {
      if (font) letters = lettersOf(follow(follow(fonts, font).head, "ToUnicode").body);
      else if (part === "BDC") words += "\n";
      const codes = [...glyphs.matchAll(/<([0-9a-f]+)>/g)].flatMap(
        (hex) => hex[1]?.match(/.{4}/g) ?? [],
      );
      words += codes.map((code) => letters[Number.parseInt(code, 16)] || "□").join("");
    }
    return words;
  });
}

/** What each glyph of a font stands for, by its number; the first is the empty box. */
function lettersOf(map: string): string[] {
  const ranges = [...map.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/g)];
  return ranges.flatMap(([, , entries = ""]) =>
    [...entries.matchAll(/<([^>]*)>/g)].map(([, units = ""]) =>
      (units.match(/[0-9a-f]{4}/g) ?? [])
        .map((unit) => String.fromCharCode(Number.parseInt(unit, 16)))
        .join("")
        .replaceAll("\0", ""),
    ),
  );
}
