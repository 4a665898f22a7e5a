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
