import { brotliDecompressSync } from "node:zlib";

/*
 * The fonts of the site are WOFF2 files, made for browsers. What draws letters elsewhere (a PDF, a
 * picture) reads the tables of TrueType, so they are laid out here as they were before packing.
 * After the W3C Recommendation "WOFF File Format 2.0", sections 4 and 5.
 */

interface Table {
  tag: string;
  data: Buffer;
}

/** The tags that a table directory gives by number, four letters each. */
const knownTags =
  "cmapheadhheahmtxmaxpnameOS/2postcvt fpgmglyflocaprepCFF VORGEBDTEBLCgasphdmxkernLTSHPCLTVDMXvheavmtxBASEGDEFGPOSGSUBEBSCJSTFMATHCBDTCBLCCOLRCPALSVG sbixacntavarbdatblocbslncvarfdscfeatfmtxfvargvarhstyjustlcarmortmorxopbdproptrakZapfSilfGlatGlocFeatSill";

/** Reads the numbers of a buffer one after another; past its end is a `RangeError`. */
function reader(bytes: Buffer, start = 0) {
  let at = start;
  const step = (size: number): number => {
    at += size;
    return at - size;
  };
  const u8 = () => bytes.readUInt8(step(1));
  const u16 = () => bytes.readUInt16BE(step(2));
  return {
    u8,
    u16,
    i16: () => bytes.readInt16BE(step(2)),
    u32: () => bytes.readUInt32BE(step(4)),
    bytes: (size: number): Buffer => bytes.subarray(step(size), at),
    /** 255UInt16 of section 6.1.1. */
    short: () => {
      const code = u8();
      if (code === 253) return u16();
      if (code === 255) return u8() + 253;
      return code === 254 ? u8() + 506 : code;
    },
    /** UIntBase128 of section 4.1. */
    base128: () => {
      let value = 0;
      for (let index = 0; index < 5; index++) {
        const byte = u8();
        value = value * 128 + (byte & 0x7f);
        if (byte < 0x80) return value;
      }
      throw new RangeError("A number of the font is too long.");
    },
    at: () => at,
  };
}

type Reader = ReturnType<typeof reader>;

/**
 * The font as a TrueType file.
 * @param salt Makes files of one font differ in their check sum, for readers that tell fonts by it.
 * @param without Tags of tables to leave out.
 * @throws RangeError when the file is cut off, Error when it is no WOFF2 font with TrueType outlines.
 */
export function toTrueType(woff2: Buffer, salt = 0, without: string[] = []): Buffer {
  const kept = tablesOf(woff2).filter((table) => !without.includes(table.tag));
  return writeFile(
    kept.map(({ tag, data }) => {
      if (tag !== "head") return { tag, data };
      const head = Buffer.from(data);
      head.writeUInt32BE(salt, 8);
      // Offsets of glyphs are written as 32 bits.
      head.writeInt16BE(1, 50);
      return { tag, data: head };
    }),
  );
}

/** One table of a font; empty where the font has none. */
export function fontTable(woff2: Buffer, tag: string): Buffer {
  return tablesOf(woff2).find((table) => table.tag === tag)?.data ?? Buffer.alloc(0);
}

/** Unpacking takes most of the time, and one file has several weights. */
const unpacked = new WeakMap<Buffer, Table[]>();

function tablesOf(woff2: Buffer): Table[] {
  const tables = unpacked.get(woff2) ?? unpack(woff2);
  unpacked.set(woff2, tables);
  return tables;
}

/** The tables in the order of their tags. */
function unpack(woff2: Buffer): Table[] {
  if (woff2.toString("latin1", 0, 4) !== "wOF2") throw new Error("The font is not a WOFF2 file.");
  const count = woff2.readUInt16BE(12);
  const directory = reader(woff2, 48);
  const entries = Array.from({ length: count }, () => readEntry(directory));
  const packed = woff2.subarray(directory.at(), directory.at() + woff2.readUInt32BE(20));
  const body = reader(brotliDecompressSync(packed));
  const tables = entries.map(({ tag, size }) => ({ tag, data: body.bytes(size) }));
  const glyf = tables.find((table) => table.tag === "glyf");
  const loca = tables.find((table) => table.tag === "loca");
  if (!glyf || !loca) throw new Error("The font has no TrueType outlines.");
  const outlines = readGlyphs(glyf.data);
  glyf.data = outlines.glyf;
  loca.data = outlines.loca;
  return tables.toSorted((a, b) => (a.tag < b.tag ? -1 : 1));
}

function readEntry(directory: Reader): { tag: string; size: number } {
  const flags = directory.u8();
  const known = flags & 0x3f;
  const tag =
    known === 63
      ? directory.bytes(4).toString("latin1")
      : knownTags.slice(known * 4, known * 4 + 4);
  const size = directory.base128();
  const version = flags >> 6;
  const isOutline = tag === "glyf" || tag === "loca";
  if (isOutline ? version !== 0 : version !== 0)
    throw new Error(`Table ${tag} is packed in a way that is not known here.`);
  return { tag, size: isOutline ? directory.base128() : size };
}

/** Section 5.1: outlines are stored as streams of like numbers. */
function readGlyphs(data: Buffer): { glyf: Buffer; loca: Buffer } {
  const header = reader(data, 4);
  const count = header.u16();
  header.u16();
  const sizes = Array.from({ length: 7 }, () => header.u32());
  let start = header.at();
  const streams = sizes.map((size) => {
    start += size;
    return reader(data.subarray(start - size, start));
  });
  const [contours, points, flags, deltas, composites, boxes, code] = streams as [
    Reader,
    Reader,
    Reader,
    Reader,
    Reader,
    Reader,
    Reader,
  ];
  const bitmap = boxes.bytes(4 * Math.floor((count + 31) / 32));
  const glyphs: Buffer[] = [];
  for (let index = 0; index < count; index++) {
    const hasBox = ((bitmap[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0;
    const box = hasBox ? boxes.bytes(8) : null;
    const number = contours.i16();
    if (number === 0) glyphs.push(Buffer.alloc(0));
    else if (number > 0) glyphs.push(simpleGlyph(number, box, { points, flags, deltas, code }));
    else glyphs.push(compositeGlyph(box, { composites, deltas, code }));
  }
  const loca = Buffer.alloc((count + 1) * 4);
  let at = 0;
  const padded = glyphs.map((glyph, index) => {
    at += Math.ceil(glyph.length / 4) * 4;
    loca.writeUInt32BE(at, (index + 1) * 4);
    return Buffer.concat([glyph], Math.ceil(glyph.length / 4) * 4);
  });
  return { glyf: Buffer.concat(padded), loca };
}

function simpleGlyph(
  number: number,
  box: Buffer | null,
  from: { points: Reader; flags: Reader; deltas: Reader; code: Reader },
): Buffer {
  const ends = Buffer.alloc(number * 2);
  let total = 0;
  for (let index = 0; index < number; index++) {
    total += from.points.short();
    ends.writeUInt16BE(total - 1, index * 2);
  }
  const onCurve = Buffer.alloc(total);
  const xs = Buffer.alloc(total * 2);
  const ys = Buffer.alloc(total * 2);
  const bounds = { x: 0, y: 0, left: Infinity, top: -Infinity, right: -Infinity, bottom: Infinity };
  for (let index = 0; index < total; index++) {
    const flag = from.flags.u8();
    const { dx, dy } = readDelta(flag & 0x7f, from.deltas);
    onCurve[index] = flag < 0x80 ? 1 : 0;
    xs.writeInt16BE(dx, index * 2);
    ys.writeInt16BE(dy, index * 2);
    bounds.x += dx;
    bounds.y += dy;
    bounds.left = Math.min(bounds.left, bounds.x);
    bounds.right = Math.max(bounds.right, bounds.x);
    bounds.bottom = Math.min(bounds.bottom, bounds.y);
    bounds.top = Math.max(bounds.top, bounds.y);
  }
  const { left, bottom, right, top } = bounds;
  const size = from.deltas.short();
  const instructions = from.code.bytes(size);
  const header = int16(number, ...(box ? [] : [left, bottom, right, top]));
  const parts = [header.subarray(0, 2), box ?? header.subarray(2), ends, int16(size), instructions];
  return Buffer.concat([...parts, onCurve, xs, ys]);
}

/** Section 5.2, the table of triplets: how many bytes a step has, and what is added to them. */
function readDelta(kind: number, deltas: Reader): { dx: number; dy: number } {
  const sign = (value: number, bit: number) => ((kind >> bit) & 1 ? value : -value);
  if (kind < 10) return { dx: 0, dy: sign(deltas.u8() + ((kind & 14) << 7), 0) };
  if (kind < 20) return { dx: sign(deltas.u8() + (((kind - 10) & 14) << 7), 0), dy: 0 };
  if (kind < 84) {
    const base = kind - 20;
    const byte = deltas.u8();
    return {
      dx: sign(1 + (base & 0x30) + (byte >> 4), 0),
      dy: sign(1 + ((base & 0x0c) << 2) + (byte & 15), 1),
    };
  }
  if (kind < 120) {
    const base = kind - 84;
    const dx = sign(1 + (Math.floor(base / 12) << 8) + deltas.u8(), 0);
    return { dx, dy: sign(1 + (((base % 12) >> 2) << 8) + deltas.u8(), 1) };
  }
  if (kind < 124) {
    const [first, second, third] = [deltas.u8(), deltas.u8(), deltas.u8()] as const;
    return {
      dx: sign((first << 4) + (second >> 4), 0),
      dy: sign(((second & 15) << 8) + third, 1),
    };
  }
  return { dx: sign(deltas.u16(), 0), dy: sign(deltas.u16(), 1) };
}

function compositeGlyph(
  box: Buffer | null,
  from: { composites: Reader; deltas: Reader; code: Reader },
): Buffer {
  if (!box) throw new Error("A glyph of the font has no bounds.");
  const parts = [int16(-1), box];
  let flags = 0x20;
  let hasCode = false;
  while (flags & 0x20) {
    flags = from.composites.u16();
    const scales = flags & 0x08 ? 2 : flags & 0x40 ? 4 : flags & 0x80 ? 8 : 0;
    parts.push(int16(flags), from.composites.bytes(2 + (flags & 1 ? 4 : 2) + scales));
    hasCode ||= (flags & 0x100) !== 0;
  }
  if (hasCode) {
    const size = from.deltas.short();
    parts.push(int16(size), from.code.bytes(size));
  }
  return Buffer.concat(parts);
}

function int16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => bytes.writeUInt16BE(value & 0xffff, index * 2));
  return bytes;
}

/** The tables with their directory before them; check sums of tables are left out, nobody asks. */
function writeFile(tables: Table[]): Buffer {
  const directory = Buffer.alloc(12 + tables.length * 16);
  directory.writeUInt32BE(0x00010000, 0);
  directory.writeUInt16BE(tables.length, 4);
  let at = directory.length;
  const bodies = tables.map(({ tag, data }, index) => {
    const entry = 12 + index * 16;
    directory.write(tag, entry, "latin1");
    directory.writeUInt32BE(at, entry + 8);
    directory.writeUInt32BE(data.length, entry + 12);
    const size = Math.ceil(data.length / 4) * 4;
    at += size;
    return Buffer.concat([data], size);
  });
  return Buffer.concat([directory, ...bodies]);
}
