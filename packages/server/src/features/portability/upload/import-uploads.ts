import { createWriteStream } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "../../../kit/clock.ts";
import { AppError, toAppError } from "../../../kit/errors.ts";
import { newUlid } from "../../../kit/ulid.ts";
import { removeTree } from "../../../platform/files.ts";
import type { ImportReport } from "../import/importer.ts";
import type { ImportOptions } from "../import/plan.ts";
import type { Skipped } from "../problem.ts";
import { unpackZip, type UnpackLimits } from "./unpack.ts";

/** The state of an import of an uploaded folder. */
export type ImportState = "planned" | "running" | "done" | "failed";

export interface ImportView {
  id: string;
  state: ImportState;
  /** A description of the current step; null if nothing is running. */
  progress: string | null;
  /** The last plan or result. */
  report: ImportReport;
  error: { code: string; message: string } | null;
}

export type ImportChoices = Pick<ImportOptions, "update" | "withoutSamples" | "resume"> & {
  /** The files of the selected studies; null for all certain ones. */
  files: readonly string[] | null;
  draft: boolean;
};

export interface ImportUploadsDependencies {
  clock: Clock;
  /** A separate folder; what an earlier process has left there is removed. */
  dir: string;
  /** Maximum bytes of the archive as it is sent. */
  maxZipBytes: number;
  limits: UnpackLimits;
  /** Plans or runs an import of a folder in a separate process. Throws that process's errors. */
  runImport(
    folder: string,
    choices: ImportChoices,
    options: { yes: boolean; onProgress?(line: string): void },
  ): Promise<ImportReport>;
}

interface Upload extends ImportView {
  folder: string;
  skipped: Skipped[];
}

/**
 * Imports of folders that were uploaded as ZIP archives. There is one at a time, and it is kept
 * until it is discarded.
 */
export interface ImportUploads {
  /**
   * Receives an archive and plans its import. Throws `bad_media`, `too_large`, and `locked` while
   * another import is running.
   */
  add(body: Readable, declaredBytes: number): Promise<ImportView>;
  /** The plan with other choices. Throws `not_found`, `invalid_state`. */
  plan(id: string, choices: ImportChoices): Promise<ImportView>;
  /**
   * Starts the import and returns its state; `find` returns later states. Throws `not_found`,
   * `invalid_state`.
   */
  start(id: string, choices: ImportChoices): ImportView;
  find(id: string): ImportView;
  /**
   * Removes an upload and its files. Throws `not_found`, and `invalid_state` while it is being
   * imported.
   */
  discard(id: string): Promise<void>;
  close(): Promise<void>;
}

const sure: ImportChoices = {
  files: null,
  draft: true,
  update: false,
  withoutSamples: false,
  resume: false,
};

/** The folder that contains everything in the archive, if there is one. */
async function rootOf(dir: string): Promise<string> {
  const entries = await readdir(dir, { withFileTypes: true });
  const [first, second] = entries;
  return first?.isDirectory() === true && second === undefined ? join(dir, first.name) : dir;
}

function viewOf({ id, state, progress, report, error, skipped }: Upload): ImportView {
  const all = { ...report, path: "", skipped: [...report.skipped, ...skipped] };
  return { id, state, progress, report: all, error };
}

async function receive(body: Readable, to: string, maxBytes: number): Promise<void> {
  let bytes = 0;
  await pipeline(
    body,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        yield chunk;
      }
    },
    createWriteStream(to, { flags: "wx", mode: 0o600 }),
  );
}

function tooLarge(maxBytes: number): AppError {
  const message = `The archive is larger than ${Math.floor(maxBytes / 1024 ** 2)} MiB. Leave out what isn’t needed, or import the folder on the server: vitrine import FOLDER.`;
  return new AppError("too_large", message);
}

/** Receives and unpacks an archive and plans its import. If that fails, nothing of it remains. */
async function takeArchive(
  { dir, maxZipBytes, limits, runImport }: ImportUploadsDependencies,
  { body, id }: { body: Readable; id: string },
): Promise<Upload> {
  const place = join(dir, id);
  await mkdir(place, { recursive: true, mode: 0o700 });
  try {
    const zip = join(place, "folder.zip");
    await receive(body, zip, maxZipBytes);
    const { skipped } = await unpackZip(zip, join(place, "files"), limits);
    await removeTree(zip);
    const folder = await rootOf(join(place, "files"));
    const report = await runImport(folder, sure, { yes: false });
    return { id, folder, skipped, report, state: "planned", progress: null, error: null };
  } catch (error) {
    await removeTree(place);
    throw error;
  }
}

/** Imports an upload; the result is stored in the upload. */
async function performImport(
  { dir, runImport }: ImportUploadsDependencies,
  upload: Upload,
  choices: ImportChoices,
): Promise<void> {
  const onProgress = (line: string) => {
    upload.progress = line;
  };
  try {
    upload.report = await runImport(upload.folder, choices, { yes: true, onProgress });
    // The imported files are stored, so the copy is no longer needed.
    await removeTree(join(dir, upload.id));
    upload.state = "done";
  } catch (error) {
    const { code, message } = toAppError(error);
    upload.error = { code, message };
    upload.state = "failed";
  } finally {
    upload.progress = null;
  }
}

function assertOpen({ state }: Upload): void {
  if (state === "running") {
    const message = "This import is running. Wait for it to finish.";
    throw new AppError("invalid_state", message);
  }
  if (state === "done") {
    const message = "This folder was imported. Choose it again to import it once more.";
    throw new AppError("invalid_state", message);
  }
}

/** Creates the folder for uploads. */
export function makeImportUploads(deps: ImportUploadsDependencies): ImportUploads {
  let current: Upload | null = null;
  let work: Promise<unknown> = Promise.resolve();
  let isBusy = false;

  const get = (id: string): Upload => {
    if (current?.id === id) return current;
    throw new AppError("not_found", "This upload has expired. Choose the folder again.");
  };
  /** Only one operation at a time: receiving an archive, or making a plan. */
  async function once<T>(call: () => Promise<T>): Promise<T> {
    if (isBusy || current?.state === "running") {
      throw new AppError("locked", "Another import is running. Try again when it has finished.");
    }
    isBusy = true;
    try {
      return await call();
    } finally {
      isBusy = false;
    }
  }

  return {
    async add(body, declaredBytes) {
      if (declaredBytes > deps.maxZipBytes) throw tooLarge(deps.maxZipBytes);
      return once(async () => {
        const before = current;
        current = await takeArchive(deps, { body, id: newUlid(deps.clock.now()) });
        if (before !== null) await removeTree(join(deps.dir, before.id));
        return viewOf(current);
      });
    },
    async plan(id, choices) {
      const upload = get(id);
      assertOpen(upload);
      return once(async () => {
        upload.report = await deps.runImport(upload.folder, choices, { yes: false });
        return viewOf(upload);
      });
    },
    start(id, choices) {
      const upload = get(id);
      assertOpen(upload);
      if (isBusy)
        throw new AppError("locked", "The import plan isn't ready yet. Try again in a moment.");
      Object.assign(upload, { state: "running", error: null, progress: "Starting the import…" });
      work = performImport(deps, upload, choices);
      return viewOf(upload);
    },
    find: (id) => viewOf(get(id)),
    async discard(id) {
      const { state } = get(id);
      if (state === "running") assertOpen(get(id));
      current = null;
      await removeTree(join(deps.dir, id));
    },
    async close() {
      await work;
    },
  };
}
