import { gzipSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { requireMedia, sniffMedia } from "./media-type.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");
const box = (brand: string, ...compatible: string[]) => {
  const list = compatible.join("");
  return bytes(`\0\0\0${String.fromCharCode(16 + list.length)}ftyp${brand}\0\0\0\0${list}`);
};

function refusal(head: Uint8Array): unknown {
  try {
    return requireMedia(head);
  } catch (error) {
    return error;
  }
}

describe("the type by bytes", () => {
  it.each(["jpeg", "png", "webp", "gif", "tiff", "avif"] as const)("knows %s", async (format) => {
    const image = sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } });
    const type = { kind: "image", format, mime: `image/${format}` };
    expect(sniffMedia(await image.toFormat(format).toBuffer())).toEqual(type);
  });

  it("tells still images from videos in the same boxes", () => {
    expect(sniffMedia(box("heic", "mif1"))).toMatchObject({ kind: "image", format: "heic" });
    expect(sniffMedia(box("mif1", "heic"))).toMatchObject({ kind: "image", format: "heic" });
    expect(sniffMedia(box("mif1", "miaf", "avif"))).toMatchObject({ format: "avif" });
    expect(sniffMedia(box("mif1", "vvic"))).toMatchObject({ kind: null });
    expect(sniffMedia(box("isom", "avc1"))).toMatchObject({ kind: "video", format: "mov" });
    expect(sniffMedia(box("qt  "))).toMatchObject({ kind: "video" });
    expect(sniffMedia(box("crx "))).toMatchObject({ kind: null, name: "a raw camera image" });
  });

  it("knows videos by their containers", () => {
    expect(sniffMedia(bytes("\x1A\x45\xDF\xA3 webm"))).toMatchObject({ format: "matroska" });
    expect(sniffMedia(bytes("RIFF\0\0\0\0AVI LIST"))).toMatchObject({ format: "avi" });
    const packets = Buffer.alloc(188 * 6, 0xff);
    for (let n = 0; n < 6; n += 1) packets[n * 188] = 0x47;
    expect(sniffMedia(packets)).toMatchObject({ format: "mpegts" });
  });

  it("abuse 47: says of an SVG or HTML, whatever its name, what it is", () => {
    for (const drawing of [
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      '\uFEFF<?xml version="1.0"?>\n<!-- x --><svg:svg xmlns:svg="http://www.w3.org/2000/svg">',
      '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" ""><svg/>',
    ]) {
      expect(refusal(Buffer.from(drawing))).toMatchObject({
        code: "unsupported_media_type",
        message: "This is an SVG drawing. Export it as PNG.",
      });
    }
    for (const page of ["<!doctype html><p>", "\n<HTML>", "<script>alert(1)</script>"]) {
      expect(refusal(bytes(page))).toMatchObject({
        code: "unsupported_media_type",
        message: expect.stringContaining("This is an HTML page."),
      });
    }
    const wide = Buffer.from("\uFEFF<svg></svg>", "utf16le");
    expect(sniffMedia(wide)).toMatchObject({ name: "an SVG drawing" });
  });

  it.each([
    ["a PDF document", bytes("%PDF-1.7")],
    ["a ZIP archive", bytes("PK\x03\x04\x14")],
    ["an HLS playlist", bytes("#EXTM3U\n#EXT-X-VERSION:3")],
    ["a playlist", bytes("ffconcat version 1.0\nfile /etc/passwd")],
    ["a DASH playlist", bytes('<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash">')],
    ["a BMP image", bytes("BM\x46\0\0\0")],
    ["an icon (ICO)", bytes("\0\0\x01\0\x01\0")],
    ["a QOI image", bytes("qoif\0\0")],
    ["a JPEG XL image", bytes("\xFF\x0A\0")],
    ["a Photoshop document", bytes("8BPS\0\x01")],
    ["a PNM image", bytes("P6\n10 10\n255\n")],
    ["a file compressed with gzip", gzipSync("<svg/>")],
    ["a program", bytes("\x7FELF\x02\x01")],
    ["a text", Buffer.from("Smörgåsbord, in plain words.\n")],
    ["an empty file", Buffer.alloc(0)],
    [null, Buffer.from([0, 1, 2, 3, 254, 255, 0, 17])],
  ])("abuse 48: refuses %s", (name, head) => {
    expect(sniffMedia(head)).toMatchObject({ kind: null, name });
    expect(refusal(head)).toMatchObject({ code: "unsupported_media_type" });
  });
});
