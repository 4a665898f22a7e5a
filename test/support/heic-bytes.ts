/** What ffmpeg and libx265 make of 64 × 64 gray pixels: 10 bits a channel, video range, Y = 572. */
const configuration =
  "AQIgAAAAkAAAAAAAHvAA/P36+gAADwOgAAEAGEABDAH//wIgAAADAJAAAAMAAAMAHpWUCaEAAQAqQgEBAiAAAAMAkAAAAwAAAwAeoCCBBNllZUpMLwFoCAAAAwAIAAADAMhAogABAAZEAcBzwIk=";
const pixels = Buffer.from("AAAACigBrHYNnByHakc=", "base64");

function uint16(...numbers: number[]): Buffer {
  return Buffer.from(numbers.flatMap((number) => [number >> 8, number & 0xff]));
}

function uint32(...numbers: number[]): Buffer {
  return uint16(...numbers.flatMap((number) => [number >>> 16, number & 0xffff]));
}

/** A box of ISO/IEC 14496-12. */
function box(type: string, ...content: Buffer[]): Buffer {
  const size = content.reduce((sum, { length }) => sum + length, 8);
  return Buffer.concat([uint32(size), Buffer.from(type, "latin1"), ...content]);
}

/** The same, with a version. */
function versionedBox(type: string, version: number, ...content: Buffer[]): Buffer {
  return box(type, Buffer.from([version, 0, 0, 0]), ...content);
}

/** A gray HEIC image of 64 × 64 pixels; `nclx` are the codes of its primaries, transfer, and matrix. */
export function grayHeic(nclx?: [primaries: number, transfer: number, matrix: number]): Buffer {
  const color = nclx ? [box("colr", Buffer.from("nclx"), uint16(...nclx), Buffer.from([0]))] : [];
  const type = box("ftyp", Buffer.from("heix"), uint32(0), Buffer.from("mif1heix"));
  const properties = [
    box("hvcC", Buffer.from(configuration, "base64")),
    versionedBox("ispe", 0, uint32(64, 64)),
    ...color,
  ];
  const uses = Buffer.from(properties.map((_, at) => at + 1));
  const description = (offset: number) =>
    versionedBox(
      "meta",
      0,
      versionedBox("hdlr", 0, uint32(0), Buffer.from("pict"), uint32(0, 0, 0), Buffer.from([0])),
      versionedBox("pitm", 0, uint16(1)),
      versionedBox("iloc", 0, uint16(0x44_00, 1, 1, 0, 1), uint32(offset, pixels.length)),
      versionedBox(
        "iinf",
        0,
        uint16(1),
        versionedBox("infe", 2, uint16(1, 0), Buffer.from("hvc1\0")),
      ),
      box(
        "iprp",
        box("ipco", ...properties),
        versionedBox("ipma", 0, uint32(1), uint16(1), Buffer.from([uses.length]), uses),
      ),
    );
  const offset = type.length + description(0).length + 8;
  return Buffer.concat([type, description(offset), box("mdat", pixels)]);
}
