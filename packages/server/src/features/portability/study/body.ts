import { projectFields } from "../../projects/project.ts";
import { isMediaName } from "../folder/media-names.ts";
import type { Resolved } from "../folder/resolve.ts";
import type { FrontMatter } from "./front-matter.ts";
import type { StudyImage } from "./gallery.ts";
import {
  type Edit,
  edited,
  findReferences,
  rewriteReferences,
  type Reference,
  type Span,
} from "./references.ts";
import type { FrontMatterReader } from "./front-matter-reader.ts";

/** A part of a text: as it stands, or the address that the file `path` will have. */
export type BodyPiece = string | FilePiece | PageLinkPiece;

/** The address of a file of the folder. */
export interface FilePiece {
  path: string;
  kind: Reference["kind"];
}

/** What stands before or after the words of a link to another page of the site. */
export interface PageLinkPiece {
  part: "open" | "close";
  /** As it is written. */
  raw: string;
  address: string;
  /** Where it is written. */
  file: string;
  line: number | null;
}

export const isFilePiece = (piece: BodyPiece): piece is FilePiece =>
  typeof piece !== "string" && "path" in piece;
export const isPageLink = (piece: BodyPiece): piece is PageLinkPiece =>
  typeof piece !== "string" && "part" in piece;

export interface StudyBody {
  pieces: BodyPiece[];
  /** What leaves the text for the gallery. */
  images: StudyImage[];
  /** What the text says that an image shows, by path, wherever the image stays. */
  described: ReadonlyMap<string, string>;
  /** All files that the text shows. */
  shown: ReadonlySet<string>;
  /** Whether a project takes it. */
  isWhole: boolean;
  /** The first heading, where it was asked for. */
  title: string | undefined;
}

export interface BodyOptions {
  /** The path of the file. */
  file: string;
  resolve(address: string): Resolved;
  /** Whether this is an export: its text stays as it is, whatever it holds. */
  verbatim: boolean;
  /** Whether the first heading is the title. */
  takeTitle: boolean;
  /** Whether all images stay in the text. */
  keepImages: boolean;
  /** Whether the text was made of another one, whose lines are counted otherwise. */
  isConverted: boolean;
}

/** As long as the address of a stored file may be. */
export const maxAddressLength = 100;
/** What stands around an address that is still to be found: no text has this character. */
const placeholder = "\u0000";

/** Makes what tells the line of an offset; `first` is the body's first line. Asked in order of offsets. */
function makeLineFinder(body: string, first: number): (offset: number) => number {
  let line = first;
  let done = 0;
  return (offset) => {
    if (offset < done) [line, done] = [first, 0];
    for (let at = body.indexOf("\n", done); at >= 0 && at < offset; at = body.indexOf("\n", done)) {
      line += 1;
      done = at + 1;
    }
    return line;
  };
}

/** Takes the first heading, if the text begins with one of the first level. */
function takeHeading(body: string): { title: string; rest: string } | null {
  const found = /^\s*(?:#[ \t]+(.+?)[ \t]*#*|([^\n#>*-][^\n]*)\n=+)[ \t]*(?:\n|$)/.exec(body);
  const title = found?.[1] ?? found?.[2];
  if (found === null || title === undefined) return null;
  // Its lines stay, so that those below keep their numbers.
  const blank = found[0].replace(/[^\n]/g, "");
  return { title: title.replace(/[*_`]/g, ""), rest: blank + body.slice(found[0].length) };
}

interface Reading {
  frontMatter: FrontMatterReader;
  body: string;
  /** The line of an offset; null in a text that was made of another one. */
  lineAt(offset: number): number | null;
  options: BodyOptions;
}

/** Tells what is wrong with an address; true where it names a file that is to be stored. */
function isOurs({ frontMatter, lineAt, options }: Reading, reference: Reference): string | null {
  const { kind, address, start } = reference;
  const found = options.resolve(address);
  if ("path" in found && (kind === "image" || isMediaName(found.path))) return found.path;
  if (options.verbatim) return null;
  const line = lineAt(start);
  if (kind === "image") {
    if ("remote" in found) {
      const message = `${found.remote} is on another site and isn't fetched, so its alt text is shown`;
      frontMatter.reportAt(line, message, "warning");
    } else if ("fault" in found) frontMatter.reportAt(line, `${address} ${found.fault}`);
    return null;
  }
  return null;
}

/** The parts of a link to another page; empty for other links. */
function pageLink({ body, lineAt, options }: Reading, reference: Reference): PageLinkPiece[] {
  const { kind, address, start, end } = reference;
  const isElsewhere = /^(?:[a-z][a-z0-9+.-]*:|#)/i.test(address);
  const raw = body.slice(start, end);
  if (options.verbatim || kind !== "link" || isElsewhere || !raw.startsWith("[")) return [];
  if ("remote" in options.resolve(address)) return [];
  // The address is behind the words, or elsewhere by its name.
  const isInline = raw.endsWith(")");
  const at = isInline ? raw.lastIndexOf("](", raw.length - address.length) : raw.lastIndexOf("][");
  const tail = at < 0 ? raw.lastIndexOf("]") : at;
  if (tail < 1) return [];
  const line = lineAt(start);
  const link = { address, file: options.file, line };
  return [
    { part: "open", raw: "[", ...link },
    { part: "close", raw: raw.slice(tail), ...link },
  ];
}

function cutIntoPieces(text: string, links: readonly PageLinkPiece[]): BodyPiece[] {
  return text.split(placeholder).flatMap((part, index): BodyPiece[] => {
    if (index % 2 === 0) return part === "" ? [] : [part];
    const [kind = "image", ...path] = part.split(":");
    if (kind === "page") {
      const link = links[Number(path[0])];
      return link === undefined ? [] : [link];
    }
    return [{ kind: kind as Reference["kind"], path: path.join(":") }];
  });
}

function isIn({ start, end }: Span, spans: readonly Span[]): boolean {
  return spans.some((span) => span.start <= start && end <= span.end);
}

/** Reads the references of a text: what becomes of each, and what leaves it for the gallery. */
function readReferences(reading: Reading) {
  const { body, options } = reading;
  const references = findReferences(body).map((reference) => {
    return { reference, path: isOurs(reading, reference) };
  });
  const stays = options.keepImages || options.verbatim;
  const retained = references.filter(({ path, reference }) => reference.alone && path === null);
  const leaving = stays
    ? []
    : references.filter(({ reference, path }) => {
        const { alone } = reference;
        // A paragraph goes as a whole or not at all.
        return path !== null && alone && !retained.some((each) => isIn(each.reference, [alone]));
      });
  const spans = leaving.map(({ reference }) => reference.alone as Span);
  const staying = references.flatMap(({ reference, path }) => {
    if (path === null || isIn(reference, spans)) return [];
    return [{ reference, address: `${placeholder}${reference.kind}:${path}${placeholder}` }];
  });
  const cuts: Edit[] = spans.map(({ start, end }) => ({ start, end, text: "" }));
  const links: PageLinkPiece[] = [];
  const linkEdits = references.flatMap(({ path, reference }): Edit[] => {
    const parts = path === null ? pageLink(reading, reference) : [];
    return parts.map((part) => {
      const text = `${placeholder}page:${links.push(part) - 1}${placeholder}`;
      const { start, end } = reference;
      return part.part === "open"
        ? { start, end: start + part.raw.length, text }
        : { start: end - part.raw.length, end, text };
    });
  });
  const edits = [...cuts, ...linkEdits, ...rewriteReferences(body, staying)];
  const images = leaving.map(({ reference, path }): StudyImage => {
    return { path: path ?? "", alt: reference.text || undefined, caption: reference.title };
  });
  const described = new Map<string, string>();
  for (const { reference, path } of references) {
    const { kind, text } = reference;
    if (path === null || kind !== "image" || text === "" || described.has(path)) continue;
    described.set(path, text);
  }
  const shown = new Set(references.flatMap(({ path }) => (path === null ? [] : [path])));
  return { edits, links, pictures: images, described, shown };
}

/** The text that pieces make; `addressOf` gives a file's address. */
export function joinBody(
  pieces: readonly BodyPiece[],
  addressOf: (path: string) => string,
): string {
  return pieces
    .map((piece) => {
      if (typeof piece === "string") return piece;
      return isPageLink(piece) ? piece.raw : addressOf(piece.path);
    })
    .join("");
}

/** Reads the text of a study with the addresses in it; tells what is wrong. */
export function readBody(
  frontMatter: FrontMatterReader,
  { body: whole, bodyLine }: Pick<FrontMatter, "body" | "bodyLine">,
  options: BodyOptions,
): StudyBody {
  const heading = options.takeTitle ? takeHeading(whole) : null;
  const body = (heading?.rest ?? whole).replaceAll(placeholder, "");
  const lineAt = options.isConverted ? () => null : makeLineFinder(body, bodyLine);
  const {
    edits,
    links,
    pictures: images,
    described,
    shown,
  } = readReferences({ frontMatter, body, lineAt, options });
  for (const { alt, caption } of images) {
    if ((alt ?? "").length > 300 || caption.length > 300) {
      frontMatter.reportAt(null, "an image in the text has alt text of more than 300 characters");
    }
  }
  const pieces = cutIntoPieces(edited(body, edits), links);
  const maxLength = joinBody(pieces, () => "x".repeat(maxAddressLength));
  const result = projectFields.body.safeParse(maxLength);
  if (!result.success)
    frontMatter.reportAt(bodyLine, `the text ${result.error.issues[0]?.message ?? ""}`);
  const isWhole = result.success;
  return { pieces, images, described, shown, isWhole, title: heading?.title };
}
