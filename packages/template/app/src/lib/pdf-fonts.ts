import type PdfDocument from "pdfkit";
import decompress from "woff2-encoder/decompress";
import { fontFile, fontFiles } from "./pdf-glyphs.ts";

/** The fonts of the site, for a PDF: single weights of files that hold them all. */

type Pdf = InstanceType<typeof PdfDocument>;

interface Outline {
  commands: { command: string; args: number[] }[];
}

/** What pdfkit holds of an open font; its types leave it out. */
interface OpenFont {
  font: { getGlyph: (id: number) => { path: Outline; advanceWidth: number } };
  subset: {
    glyf: Buffer[];
    offset: number;
    loca: { offsets: number[]; version: number };
    hmtx: { metrics: { advance: number; bearing: number }[] };
  };
}

/**
 * The files as TrueType, which is what pdfkit needs for weights of a variable font. The decoder only
 * works asynchronously and pdfkit only synchronously, so all files are unpacked beforehand.
 */
const unpacked = new Map<string, Buffer>();
for (const file of fontFiles) unpacked.set(file, Buffer.from(await decompress(fontFile(file))));

/**
 * Makes one weight of a font known to the document and chooses it.
 * @param file One of `fontFiles`.
 * @param salt Another number for each font of the document: pdfkit takes fonts of one name and one
 *   check sum for the same.
 * @param kerned Whether pairs of letters are moved together: worth its time in large sizes only.
 */
export function registerWeight(
  pdf: Pdf,
  name: string,
  { file, weight, salt, kerned }: { file: string; weight: number; salt: number; kerned: boolean },
): void {
  const without = kerned ? ["GSUB"] : ["GSUB", "GPOS", "GDEF"];
  const bytes = variantOf(file, salt, without);
  // The types know the names of faces only; what opens the font takes a place on its axes too.
  pdf.registerFont(name, bytes, { wght: weight } as never).font(name);
  const { _font: open } = pdf as unknown as { _font: OpenFont };
  const { font, subset } = open;
  // The writer that comes with pdfkit can't write outlines that lie between two masters.
  const addGlyph = (id: number): number => {
    const { path, advanceWidth } = font.getGlyph(id);
    const { bytes: glyph, left } = encodeOutline(path);
    subset.glyf.push(glyph);
    subset.loca.offsets.push(subset.offset);
    subset.loca.version = 1;
    subset.hmtx.metrics.push({ advance: Math.round(advanceWidth), bearing: left });
    subset.offset += glyph.length;
    return subset.glyf.length - 1;
  };
  Object.assign(subset, { _addGlyph: addGlyph });
}

/** A copy of the font with another check sum, and with some of its tables under a name nobody reads. */
function variantOf(file: string, salt: number, without: string[]): Buffer {
  const source = unpacked.get(file);
  if (!source) throw new Error(`${file} is no font of the site.`);
  const bytes = Buffer.from(source);
  const end = 12 + bytes.readUInt16BE(4) * 16;
  for (let entry = 12; entry < end; entry += 16) {
    const tag = bytes.toString("latin1", entry, entry + 4);
    if (tag === "head") bytes.writeUInt32BE(salt, bytes.readUInt32BE(entry + 8) + 8);
    if (without.includes(tag)) bytes.write("none", entry, "latin1");
  }
  return bytes;
}

interface Point {
  x: number;
  y: number;
  onCurve: boolean;
}

/** A simple glyph of the `glyf` table; OpenType specification 1.9.1. */
function encodeOutline({ commands }: Outline): { bytes: Buffer; left: number } {
  const contours = readContours(commands);
  const points = contours.flat();
  if (points.length === 0) return { bytes: Buffer.alloc(0), left: 0 };
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  let end = -1;
  const ends = contours.map((contour) => (end += contour.length));
  const head = int16([contours.length, ...box, ...ends, 0]);
  const flags = Buffer.from(points.map((point) => (point.onCurve ? 1 : 0)));
  const parts = [head, flags, int16(steps(xs)), int16(steps(ys))];
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  return { bytes: Buffer.concat(parts, Math.ceil(size / 4) * 4), left: box[0] ?? 0 };
}

function readContours(commands: Outline["commands"]): Point[][] {
  const contours: Point[][] = [];
  for (const { command, args } of commands) {
    if (command === "closePath") continue;
    if (command === "moveTo") contours.push([]);
    for (let index = 0; index < args.length; index += 2) {
      const isControl = command === "quadraticCurveTo" && index === 0;
      const [x = 0, y = 0] = args.slice(index, index + 2).map(Math.round);
      contours.at(-1)?.push({ x, y, onCurve: !isControl });
    }
  }
  return contours.filter((contour) => contour.length > 1);
}

function steps(values: number[]): number[] {
  return values.map((value, index) => value - (values[index - 1] ?? 0));
}

function int16(values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => bytes.writeInt16BE(value, index * 2));
  return bytes;
}
