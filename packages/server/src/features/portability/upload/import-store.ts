import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError, toAppError } from "../../../kit/errors.ts";
import { removeTree } from "../../../platform/files.ts";
import type { ImportReport } from "../import/importer.ts";
import type { Skipped } from "../problem.ts";

/** The state of an import of an uploaded folder. */
export type ImportState = "planned" | "running" | "done" | "failed";

/** An uploaded folder and its import. */
export interface ImportUpload {
  id: string;
  state: ImportState;
  /** A description of the current step; null if nothing is running. */
  progress: string | null;
  /** The last plan or result. */
  report: ImportReport;
  error: { code: string; message: string } | null;
  /** What was left out of the archive. */
  skipped: Skipped[];
}

/** An import that is running. */
export interface ImportRun {
  setProgress(line: string): void;
  /** Stores its result; after an error, it can be started again. */
  end(result: { report: ImportReport } | { error: unknown }): Promise<void>;
}

/** The uploaded folder: one at a time, which stays until it is discarded or replaced. */
export interface ImportStore {
  /** Keeps what `withFolder` needs of an archive besides its unpacked files. Gives its name. */
  keepArchive(zip: string): Promise<string>;
  /** Stores a new upload in place of the one before. Throws `locked` if that is being imported. */
  insert(upload: ImportUpload, archive: string): Promise<void>;
  find(id: string): Promise<ImportUpload | undefined>;
  /** Whether a folder is being imported. */
  isRunning(): Promise<boolean>;
  /** Stores another plan, unless the import has been started. */
  updatePlan(id: string, report: ImportReport): Promise<void>;
  /** Calls `work` with the folder of an upload's files. Throws `not_found` if they are gone. */
  withFolder<T>(id: string, work: (folder: string) => Promise<T>): Promise<T>;
  /** Starts an import; null if it is running, done, or discarded. */
  begin(id: string): Promise<ImportRun | null>;
  /** False if it is being imported, and stays. */
  delete(id: string): Promise<boolean>;
}

export const expired = () =>
  new AppError("not_found", "This upload has expired. Choose the folder again.");

/** The progress of an import that has just been started. */
export const firstStep = "Starting the import…";

/** What is stored of a failure. */
export function failureOf(error: unknown): NonNullable<ImportUpload["error"]> {
  const { code, message } = toAppError(error);
  return { code, message };
}

/** The folder that contains everything in the archive, if there is one. */
export async function rootOf(dir: string): Promise<string> {
  const entries = await readdir(dir, { withFileTypes: true });
  const [first, second] = entries;
  return first?.isDirectory() === true && second === undefined ? join(dir, first.name) : dir;
}

/** Where an archive is unpacked, below the place of its upload. */
export const filesIn = (place: string) => join(place, "files");

/** Keeps the upload in memory and its files in `dir`, for an instance on one disk. */
export function makeLocalImports(dir: string): ImportStore {
  let current: ImportUpload | null = null;
  const placeOf = (id: string) => join(dir, id);
  const get = (id: string) => (current?.id === id ? current : null);
  return {
    keepArchive: async () => "",
    async insert(upload) {
      const before = current;
      current = upload;
      if (before !== null) await removeTree(placeOf(before.id));
    },
    find: async (id) => get(id) ?? undefined,
    isRunning: async () => current?.state === "running",
    async updatePlan(id, report) {
      const upload = get(id);
      if (upload !== null && upload.state !== "running") upload.report = report;
    },
    async withFolder(id, work) {
      if (get(id) === null) throw expired();
      return work(await rootOf(filesIn(placeOf(id))));
    },
    async begin(id) {
      const upload = get(id);
      if (upload === null || upload.state === "running" || upload.state === "done") return null;
      Object.assign(upload, { state: "running", error: null, progress: firstStep });
      return {
        setProgress(line) {
          upload.progress = line;
        },
        async end(result) {
          upload.progress = null;
          if ("error" in result) {
            Object.assign(upload, { state: "failed", error: failureOf(result.error) });
            return;
          }
          upload.report = result.report;
          try {
            // The imported files are stored, so the copy is no longer needed.
            await removeTree(placeOf(id));
          } finally {
            upload.state = "done";
          }
        },
      };
    },
    async delete(id) {
      const upload = get(id);
      if (upload?.state === "running") return false;
      if (upload === null) return true;
      current = null;
      await removeTree(placeOf(id));
      return true;
    },
  };
}
