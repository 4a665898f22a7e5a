import { createHash, randomBytes } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Multipart, MultipartFile, MultipartValue } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import type { ZodType } from "zod";
import { AppError } from "../../../kit/errors.ts";
import type { ReceivedFile } from "./upload-queue.ts";
import { inspectUpload, type UploadLimits } from "./inspection.ts";
import { sanitizeOriginalName } from "../library/names.ts";
import { maxBytesFor } from "../media-size.ts";
import { altText, nameLength, originalName } from "../schema.ts";

/** Beyond the file: the other fields and what stands between the parts, in bytes. */
const formOverhead = 64 * 1024;
/** The longest value of a field, in bytes: no character takes more than four. */
const fieldBytes = 4 * nameLength + 1024;

/** How the parser is to be registered: what it can bound by itself, it bounds. */
export const multipartOptions = {
  throwFileSizeLimit: false,
  limits: { fileSize: Number.POSITIVE_INFINITY, fieldSize: fieldBytes, files: 2, fields: 4 },
};

const fieldSchemas: Record<string, ZodType<string>> = { alt: altText, name: originalName };

function badField(name: string, message: string): AppError {
  return new AppError("bad_request", message, { fields: { [name]: message } });
}

/** What a form may have is settled by the parts' names alone, before any of their bytes. */
function makePartCheck(): (name: string | undefined, isFile: boolean) => void {
  const seen = new Set<string>();
  return (name, isFile) => {
    const shown = (name ?? "").slice(0, 100);
    if (name !== "file" && !(name && Object.hasOwn(fieldSchemas, name))) {
      throw badField(shown, `The form has an unknown field: ${shown || "(no name)"}.`);
    }
    if (seen.has(name)) throw badField(name, `The form has more than one ${name}.`);
    if (isFile && name !== "file") throw badField(name, `The field ${name} is to be a text.`);
    if (!isFile && name === "file") throw badField(name, "The field file is to be a file.");
    seen.add(name);
  };
}

function brokenForm(cause: unknown): AppError {
  return new AppError("bad_request", "The form is malformed or incomplete.", { cause });
}

/** Errors of the form that a stream carries, told from those of whoever reads it. */
async function* bytesOf(file: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of file) yield chunk as Buffer;
  } catch (cause) {
    throw brokenForm(cause);
  }
}

function fieldValue({ fieldname, value, valueTruncated }: MultipartValue): string {
  if (typeof value !== "string") {
    throw badField(fieldname, `The field ${fieldname} is to be a text.`);
  }
  const result = fieldSchemas[fieldname]?.safeParse(value);
  if (result?.success && !valueTruncated) return result.data;
  const message = valueTruncated ? "is too long" : (result?.error?.issues[0]?.message ?? "");
  throw new AppError("validation_failed", `Check the following: ${fieldname}.`, {
    fields: { [fieldname]: message },
  });
}

export interface ReceiveOptions {
  /** A folder for this upload alone; made here, removed by the caller. */
  folder: string;
  limits: UploadLimits;
  onReceived?(bytes: number): void;
}

/** `fail` hears of a failure at once: what comes after it, while the file is closed, is no matter. */
async function storeFile(
  part: MultipartFile,
  options: ReceiveOptions,
  fail: (error: unknown) => void,
) {
  const { folder, limits, onReceived } = options;
  const path = join(folder, randomBytes(16).toString("hex"));
  const inspection = inspectUpload(limits);
  const hash = createHash("sha256");
  const handle = await open(path, "wx", 0o600);
  try {
    for await (const chunk of bytesOf(part.file)) {
      inspection.add(chunk);
      hash.update(chunk);
      await handle.appendFile(chunk);
      onReceived?.(inspection.bytes);
    }
  } catch (error) {
    fail(error);
    throw error;
  } finally {
    await handle.close();
  }
  if (part.file.truncated) throw new AppError("too_large", "The file is too large.");
  inspection.end();
  return { file: path, bytes: inspection.bytes, sha256: hash.digest("hex") };
}

/** Stores the file unless `stop` fails first; a file that is then half read is let go. */
async function receivePart(
  part: MultipartFile,
  options: ReceiveOptions,
  stop: PromiseWithResolvers<never>,
) {
  const stored = storeFile(part, options, stop.reject);
  try {
    return await Promise.race([stored, stop.promise]);
  } catch (error) {
    part.file.destroy();
    await stored.catch(() => {});
    throw error;
  }
}

/** The form's parts, until the first thing is wrong with it. */
async function* partsOf(
  request: FastifyRequest,
  stop: PromiseWithResolvers<never>,
): AsyncGenerator<Multipart> {
  const check = makePartCheck();
  const parts = request.parts({
    isPartAFile(name, type, fileName) {
      const isFile = fileName !== undefined || type === "application/octet-stream";
      try {
        check(name, isFile);
      } catch (error) {
        stop.reject(error);
      }
      return isFile;
    },
  });
  for (;;) {
    const next = parts.next().catch((error: unknown) => {
      throw brokenForm(error);
    });
    const part = await Promise.race([stop.promise, next]);
    if (part.done === true) return;
    yield part.value;
  }
}

const tooLarge = () => new AppError("too_large", "The upload is too large.");

async function readForm(
  request: FastifyRequest,
  options: ReceiveOptions,
  stop: PromiseWithResolvers<never>,
): Promise<ReceivedFile> {
  const fields: Record<string, string> = {};
  let stored: Awaited<ReturnType<typeof storeFile>> | undefined;
  let fileName: string | undefined;
  for await (const part of partsOf(request, stop)) {
    if (part.type === "field") {
      fields[part.fieldname] = fieldValue(part);
    } else {
      fileName = part.filename;
      stored = await receivePart(part, options, stop);
    }
  }
  if (!stored) throw badField("file", "The form has no file.");
  const given = fields["name"] ?? "";
  return {
    ...stored,
    alt: fields["alt"] ?? "",
    originalName: sanitizeOriginalName(given === "" ? (fileName ?? "") : given),
  };
}

/**
 * Receives a form with exactly one `file` and optionally `alt` and `name` (RFC 7578). The file goes
 * straight to the disk, mode 0600, hashed as it arrives and bounded by what its first bytes say.
 *
 * Throws `bad_request` for any other part or a broken form, `validation_failed` for a text that is
 * too long or an empty file, `unsupported_media_type`, `too_large`; nothing more is read then.
 */
export async function receiveForm(
  request: FastifyRequest,
  options: ReceiveOptions,
): Promise<ReceivedFile> {
  if (!request.isMultipart()) {
    throw new AppError("unsupported_media_type", "Send this as multipart/form-data.");
  }
  const max = maxBytesFor(options.limits, null) + formOverhead;
  if (Number(request.headers["content-length"] ?? 0) > max) throw tooLarge();
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const stop = Promise.withResolvers<never>();
  stop.promise.catch(() => {});
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > max) stop.reject(tooLarge());
  };
  const form = readForm(request, options, stop);
  // A body whose client went before the parser listened tells of its end no more.
  if (request.raw.destroyed) stop.reject(brokenForm(new Error("The client has gone.")));
  // Only now that the parser listens: the first listener makes the body flow.
  request.raw.on("data", count);
  try {
    const received = await form;
    // Whatever follows the form's end would keep the body from ending.
    request.raw.resume();
    return received;
  } finally {
    request.raw.off("data", count);
  }
}
