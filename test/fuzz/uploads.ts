import * as fc from "fast-check";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { animatedGif, noise } from "../support/image-bytes.ts";
import { makeVideo } from "../support/media-files.ts";
import { mutated } from "./bytes.ts";
import type { FuzzCase } from "./case.ts";

/** Small images of every accepted format and one video, made now. */
export async function mediaSamples(): Promise<Buffer[]> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-fuzz-"));
  const image = () => noise(24, 16);
  try {
    return await Promise.all([
      image().png().toBuffer(),
      image()
        .jpeg()
        .withExif({ IFD0: { Copyright: "x" } })
        .toBuffer(),
      image().webp().toBuffer(),
      image().avif().toBuffer(),
      sharp(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>'))
        .png()
        .toBuffer(),
      Promise.resolve(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
      animatedGif(8, 8, 3),
      makeVideo(folder, "a.mp4").then((file) => readFile(file)),
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const boundary = "----fuzz";

/** An upload of one file in a form, whose parts may be wrong as well. */
export function uploadOf(samples: readonly Buffer[]): fc.Arbitrary<FuzzCase> {
  const part = (disposition: string, bytes: Buffer) =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
      bytes,
      Buffer.from("\r\n"),
    ]);
  const fileName = fc.constantFrom(
    "a.png",
    "a.mp4",
    "../x",
    "a\u0000.png",
    "",
    "-i",
    "x".repeat(4000),
    "é.jpg",
  );
  return fc
    .record({
      file: mutated(samples),
      fileName,
      field: fc.constantFrom("file", "file", "file", "file", "other", "__proto__"),
      alt: fc.option(fc.string({ maxLength: 400 }), { nil: undefined }),
      whole: fc.integer({ min: 0, max: 20 }),
    })
    .map(({ file, fileName: named, field, alt, whole }) => {
      const parts = [part(`name="${field}"; filename="${named}"`, file)];
      if (alt !== undefined) parts.unshift(part('name="alt"', Buffer.from(alt)));
      const body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
      const sent = whole === 0 ? body.subarray(0, Math.floor(body.length / 2)) : body;
      return {
        kind: "request",
        server: "web",
        method: "POST",
        path: "/api/media/upload",
        headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
        body: sent.toString("base64"),
        as: "token",
      };
    });
}
