import { open } from "node:fs/promises";
import type { ImageFormat } from "../media-type.ts";

/** CIE 1931 x and y of a display's white point and primaries. */
export interface Primaries {
  white: readonly [number, number];
  red: readonly [number, number];
  green: readonly [number, number];
  blue: readonly [number, number];
}

/**
 * How an image's numbers become light: a power, or the curves of ITU-R BT.2100, whose brightest
 * light, in cd/m², the file may name.
 */
export type Transfer =
  | { kind: "srgb" }
  | { kind: "power"; exponent: number }
  | { kind: "pq"; maxLuminance: number }
  | { kind: "hlg" };

/** What a file without an ICC profile says about its colors. */
export interface ColorDescription {
  primaries: Primaries;
  transfer: Transfer;
}

/** How a file describes its colors; `srgb` if they are sRGB's whatever its ICC profile says. */
export type DescribedColor = ColorDescription | "srgb";

const d65 = [0.3127, 0.329] as const;
export const bt709: Primaries = {
  white: d65,
  red: [0.64, 0.33],
  green: [0.3, 0.6],
  blue: [0.15, 0.06],
};
const bt2020: Primaries = {
  white: d65,
  red: [0.708, 0.292],
  green: [0.17, 0.797],
  blue: [0.131, 0.046],
};
const displayP3: Primaries = {
  white: d65,
  red: [0.68, 0.32],
  green: [0.265, 0.69],
  blue: [0.15, 0.06],
};

/** ITU-T H.273, ColourPrimaries; others are taken for BT.709. */
const primariesByCode = new Map([
  [9, bt2020],
  [12, displayP3],
]);

/** What PQ is made for where a file doesn't say it, cd/m². */
const usualMaxLuminance = 1000;

/** ITU-T H.273, TransferCharacteristics; the curves of video are close to sRGB's. */
function transferByCode(code: number, maxLuminance: number): Transfer {
  if (code === 4) return { kind: "power", exponent: 2.2 };
  if (code === 5) return { kind: "power", exponent: 2.8 };
  if (code === 8) return { kind: "power", exponent: 1 };
  if (code === 16) return { kind: "pq", maxLuminance };
  if (code === 18) return { kind: "hlg" };
  return { kind: "srgb" };
}

/** Null for sRGB, which needs no conversion. */
function describe(primaries: Primaries, transfer: Transfer): ColorDescription | null {
  return primaries === bt709 && transfer.kind === "srgb" ? null : { primaries, transfer };
}

function describeCodes(primaries: number, transfer: number, maxLuminance = usualMaxLuminance) {
  const named = primariesByCode.get(primaries) ?? bt709;
  return describe(named, transferByCode(transfer, maxLuminance));
}

/** Bytes at the beginning of a file in which its colors are described. */
const headBytes = 256 * 1024;

async function readHead(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return buffer.subarray(0, bytesRead);
}

/** The chunks before a PNG's pixels by type, the first of each (PNG, third edition, 5.3). */
function pngChunks(head: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at + 8 <= head.length;) {
    const type = head.toString("latin1", at + 4, at + 8);
    const end = at + 8 + head.readUInt32BE(at);
    if (type === "IDAT" || end > head.length) break;
    if (!chunks.has(type)) chunks.set(type, head.subarray(at + 8, end));
    at = end + 4;
  }
  return chunks;
}

/** Of the triangle that the primaries span; without one they describe no color. */
function areaOf({ red, green, blue }: Primaries): number {
  const [dx, dy] = [green[0] - red[0], green[1] - red[1]];
  return Math.abs(dx * (blue[1] - red[1]) - dy * (blue[0] - red[0])) / 2;
}

function pngPrimaries(chunk: Buffer | undefined): Primaries | null {
  if (chunk?.length !== 32) return null;
  const point = (at: number) =>
    [chunk.readUInt32BE(at) / 100_000, chunk.readUInt32BE(at + 4) / 100_000] as const;
  const found = { white: point(0), red: point(8), green: point(16), blue: point(24) };
  const isColor = Object.values(found).every(([x, y]) => x < 1 && y > 0.001 && x + y <= 1.001);
  return isColor && areaOf(found) > 0.01 ? found : null;
}

/** The gamma of a file that means sRGB by it, times 100,000. */
const usualGamma = 45_455;

/** cICP, then a profile or sRGB, then gAMA with cHRM: the order of the PNG specification. */
function describePng(chunks: Map<string, Buffer>): DescribedColor | null {
  const codes = chunks.get("cICP");
  if (codes?.length === 4) {
    const light = chunks.get("cLLI");
    const max = light?.length === 8 ? light.readUInt32BE(0) / 10_000 : 0;
    return describeCodes(codes[0] ?? 0, codes[1] ?? 0, max || undefined) ?? "srgb";
  }
  const gamma = chunks.get("gAMA");
  if (chunks.has("iCCP") || chunks.has("sRGB") || gamma?.length !== 4) return null;
  const value = gamma.readUInt32BE(0);
  // Between a tenth of a display's gamma and ten times that; anything else is a mistake.
  if (value < 4545 || value > 454_550) return null;
  const primaries = pngPrimaries(chunks.get("cHRM"));
  if (primaries === null && Math.abs(value - usualGamma) < 500) return null;
  return describe(primaries ?? bt709, { kind: "power", exponent: 100_000 / value });
}

/** The content of the first box of this type, searched for by its name (ISO/IEC 14496-12). */
function findBox(head: Buffer, type: string, bytes: number): Buffer | null {
  const at = head.indexOf(type, 0, "latin1");
  const start = at + type.length;
  return at < 4 || start + bytes > head.length ? null : head.subarray(start, start + bytes);
}

/**
 * AVIF and HEIC: the `nclx` color box, and the brightest light (ISO/IEC 23000-22); an ICC profile goes
 * first.
 */
function describeHeif(head: Buffer): ColorDescription | null {
  if (findBox(head, "colrprof", 0) ?? findBox(head, "colrrICC", 0)) return null;
  const codes = findBox(head, "colrnclx", 4);
  if (codes === null) return null;
  const max = findBox(head, "clli", 2)?.readUInt16BE(0);
  return describeCodes(codes.readUInt16BE(0), codes.readUInt16BE(2), max || undefined);
}

/** Reads how a PNG, AVIF, or HEIC file describes its colors; null if its profile does, or nothing. */
export async function readColorDescription(
  file: string,
  format: ImageFormat,
): Promise<DescribedColor | null> {
  if (format === "png") return describePng(pngChunks(await readHead(file)));
  const isHeif = format === "avif" || format === "heic";
  return isHeif ? describeHeif(await readHead(file)) : null;
}

/** The number of frames of an animated PNG (acTL); 1 for other PNG files. */
export async function readPngFrames(file: string): Promise<number> {
  const control = pngChunks(await readHead(file)).get("acTL");
  return control?.length === 8 ? Math.max(1, control.readUInt32BE(0)) : 1;
}
