import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Dispatcher } from "undici";
import { AppError } from "../../kit/errors.ts";

type Body = Dispatcher.ResponseData["body"];

/** What a body has to be, and the file for it. */
interface WantedBody {
  path: string;
  hash: string;
  bytes: number;
}

/** A failure that may not happen again. */
export class PassingFailure extends Error {}

/** Passes bytes on and fails at the end unless they are those of the hash. */
function verify({ hash, bytes }: WantedBody): Transform {
  const seen = createHash("sha256");
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen.update(chunk);
      length += chunk.length;
      done(length > bytes ? new PassingFailure("too many bytes") : null, chunk);
    },
    flush(done) {
      const isSame = length === bytes && seen.digest("hex") === hash;
      done(isSame ? null : new PassingFailure("other bytes than were stored"));
    },
  });
}

/** The name of a file while it is downloaded, with the process that does so. */
const download = /\.(\d+)-[a-z0-9]+\.part$/;

/** Whether a file is one that a process was downloading when it was killed. */
export function isDeadDownload(path: string): boolean {
  const pid = download.exec(path)?.[1];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Writes the body to `path`, completely or not at all; fails if it isn't what was wanted. */
export async function saveBody(body: Body, wanted: WantedBody): Promise<void> {
  const { path } = wanted;
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.part`;
  try {
    await pipeline(body, verify(wanted), createWriteStream(temporary, { flags: "wx" }));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Reads a whole body of at most `maxBytes`. */
export async function readBytes(body: Body, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes)
      throw new AppError("too_large", "The object store has a larger object than was stored.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
