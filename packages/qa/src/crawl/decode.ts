import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzipSync,
  inflateSync,
} from "node:zlib";

export interface Decoded {
  body: Buffer;
  /** Whether there are more than `max` bytes. */
  truncated: boolean;
  /** Why it can't be decompressed: broken, or an unknown encoding. Null if it can. */
  problem: "EBROKEN" | "EENCODING" | null;
}

const streams = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/** The first `max` bytes of compressed data that is larger, or that breaks off. */
function firstOf(packed: Buffer, encoding: keyof typeof streams, max: number): Promise<Decoded> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stream = streams[encoding]();
    const end = (truncated: boolean, problem: Decoded["problem"]) => {
      stream.destroy();
      resolve({ body: Buffer.concat(chunks).subarray(0, max), truncated, problem });
    };
    stream.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > max) end(true, null);
    });
    stream.on("end", () => end(false, null));
    stream.on("error", () => end(false, "EBROKEN"));
    stream.end(packed);
  });
}

/**
 * Decompresses a body by its Content-Encoding, up to `max` bytes, so that a decompression bomb is
 * cut off (abuse 93). `cut` says that the compressed bytes themselves are incomplete.
 */
export async function decodeBody(
  packed: Buffer,
  contentEncoding: string | undefined,
  max: number,
  cut: boolean,
): Promise<Decoded> {
  const encoding = (contentEncoding ?? "").trim().toLowerCase().replace(/^x-/, "");
  if (packed.length === 0 || encoding === "" || encoding === "identity") {
    return { body: packed, truncated: cut, problem: null };
  }
  if (encoding !== "gzip" && encoding !== "deflate" && encoding !== "br") {
    return { body: packed, truncated: cut, problem: "EENCODING" };
  }
  if (encoding !== "br" && !cut && packed.length < 1024 * 1024) {
    try {
      const unpack = encoding === "gzip" ? gunzipSync : inflateSync;
      return { body: unpack(packed, { maxOutputLength: max }), truncated: false, problem: null };
    } catch {
      // Too large or broken: the stream shows which.
    }
  }
  const found = await firstOf(packed, encoding, max);
  return cut ? { ...found, truncated: true, problem: null } : found;
}

const declaredCharset = /<meta\s[^>]{0,200}?charset\s*=\s*["']?\s*([\w-]+)/i;

function decoderFor(label: string): { decode(bytes: Uint8Array): string } | null {
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}

/** Decodes the text of a body by its byte order mark, header, or `meta`, otherwise as UTF-8. */
export function decodeText(body: Buffer, contentType: string | undefined): string {
  const isUtf8 = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  if (isUtf8) return body.toString("utf8", 3);
  if (body[0] === 0xfe && body[1] === 0xff) return decoderFor("utf-16be")?.decode(body) ?? "";
  if (body[0] === 0xff && body[1] === 0xfe) return decoderFor("utf-16le")?.decode(body) ?? "";
  const reported = /charset\s*=\s*["']?\s*([\w-]+)/i.exec(contentType ?? "")?.[1];
  const isMarkup = /html|xml/i.test(contentType ?? "") || body[0] === 0x3c;
  const label =
    reported ??
    (isMarkup ? declaredCharset.exec(body.toString("latin1", 0, 1024))?.[1] : undefined) ??
    "utf-8";
  if (/^utf-?8$/i.test(label)) return body.toString("utf8");
  return decoderFor(label)?.decode(body) ?? body.toString("utf8");
}
