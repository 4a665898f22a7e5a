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

/** Bytes besides the file: other fields and separators. */
const formOverhead = 64 * 1024;
/** Maximum bytes of a field's value: a character takes at most four. */
const fieldBytes = 4 * nameLength + 1024;

/** Options for the parser, with the limits that it enforces itself. */
export const multipartOptions = {
  throwFileSizeLimit: false,
  limits: { fileSize: Number.POSITIVE_INFINITY, fieldSize: fieldBytes, files: 2, fields: 4 },
};

const fieldSchemas: Record<string, ZodType<string>> = { alt: altText, name: originalName };

function badField(name: string, message: string): AppError {
  return new AppError("bad_request", message, { fields: { [name]: message } });
}

/** Checks the names of a form's parts before any of their bytes are read. */
function makePartCheck(): (name: string | undefined, isFile: boolean) => void {
  const seen = new Set<string>();
  return (name, isFile) => {
    const shown = (name ?? "").slice(0, 100);
    if (name !== "file" && !(name && Object.hasOwn(fieldSchemas, name))) {
      throw badField(shown, `The form has an unknown field: ${shown || "(no name)"}.`);
    }
    if (seen.has(name)) throw badField(name, `The form has more than one ${name}.`);
    if (isFile && name !== "file") throw badField(name, `The field ${name} must be text.`);
    if (!isFile && name === "file") throw badField(name, "The field file must be a file.");
    seen.add(name);
  };
}

function brokenForm(cause: unknown): AppError {
  return new AppError("bad_request", "The form is malformed or incomplete.", { cause });
}

/** Distinguishes errors of the form, which surface in the stream, from those of its reader. */
async function* bytesOf(file: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of file) yield chunk as Buffer;
  } catch (cause) {
    throw brokenForm(cause);
  }
}

function fieldValue({ fieldname, value, valueTruncated }: MultipartValue): string {
  if (typeof value !== "string") {
    throw badField(fieldname, `The field ${fieldname} must be text.`);
  }
  const result = fieldSchemas[fieldname]?.safeParse(value);
  if (result?.success && !valueTruncated) return result.data;
  const message = valueTruncated ? "is too long" : (result?.error?.issues[0]?.message ?? "");
  throw new AppError("validation_failed", `Check the following: ${fieldname}.`, {
    fields: { [fieldname]: message },
  });
}

export interface ReceiveOptions {
  /** A folder for this upload only; the caller removes it. */
  folder: string;
  limits: UploadLimits;
  /** Ends receiving, with its reason. */
  signal?: AbortSignal;
  onReceived?(bytes: number): void;
}

/** `fail` is called immediately; errors while the file is closed afterwards don't matter. */
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

/** Stores the file unless `stop` fails first; a partially read file is then abandoned. */
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

/** The form's parts, up to the first error. */
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
 * Receives a form with exactly one `file` and optionally `alt` and `name` (RFC 7578). The file is
 * written directly to disk with mode 0600, hashed as it arrives, and limited according to its type.
 * Throws `bad_request` for other parts or a broken form, `validation_failed` for a text that is too
 * long or an empty file, `unsupported_media_type`, `too_large`; the rest isn't read then.
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
  // If the client left before the parser was attached, the body emits no more events.
  if (request.raw.destroyed) stop.reject(brokenForm(new Error("The client has gone.")));
  const abort = () => stop.reject(options.signal?.reason);
  options.signal?.addEventListener("abort", abort, { once: true });
  // Only after the parser is attached, because the first listener starts the stream.
  request.raw.on("data", count);
  try {
    const received = await form;
    // Data after the form's end would keep the body from ending.
    request.raw.resume();
    return received;
  } finally {
    request.raw.off("data", count);
    options.signal?.removeEventListener("abort", abort);
  }
}
