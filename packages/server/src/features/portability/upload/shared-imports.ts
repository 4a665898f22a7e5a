import { randomUUID } from "node:crypto";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { parseJson } from "../../../kit/json.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { removeTree } from "../../../platform/files.ts";
import { hashFile } from "../../release/artifact/output.ts";
import type { Blobs } from "../../storage/blobs.ts";
import type { ImportReport } from "../import/importer.ts";
import type { Skipped } from "../problem.ts";
import {
  expired,
  failureOf,
  filesIn,
  firstStep,
  type ImportRun,
  type ImportStore,
  type ImportUpload,
  rootOf,
} from "./import-store.ts";
import {
  beginImport,
  deleteImport,
  endImport,
  findImport,
  isImportRunning,
  renewImport,
  replaceImport,
  updateImportPlan,
} from "./shared-import-store.ts";
import { unpackZip, type UnpackLimits } from "./unpack.ts";

/** How long a process may be silent before its import counts as failed, in ms. */
const leaseMs = 60_000;
const renewEveryMs = 10_000;

export interface SharedImportsDependencies {
  db: Db;
  blobs: Pick<Blobs, "put" | "find">;
  /** For this node's copies, while they are in use. */
  dir: string;
  limits: UnpackLimits;
}

const stopped = {
  code: "unavailable",
  message: "The server that imported this folder has stopped. Start the import again.",
};

const toUpload = (row: NonNullable<Awaited<ReturnType<typeof findImport>>>): ImportUpload => {
  const { id, state, progress } = row;
  const upload = {
    id,
    state,
    progress,
    report: parseJson(row.report) as ImportReport,
    skipped: parseJson(row.skipped) as Skipped[],
    error: row.error === null ? null : (parseJson(row.error) as ImportUpload["error"]),
  };
  const isLost = state === "running" && !row.is_held;
  return isLost ? { ...upload, state: "failed", progress: null, error: stopped } : upload;
};

function runOf({ db }: SharedImportsDependencies, id: string, holder: string): ImportRun {
  let next: string | undefined;
  let writing: Promise<void> | null = null;
  /** What can't be stored is only late: the next line or the end replaces it. */
  const renew = (progress?: string) =>
    renewImport(db, { id, holder, leaseMs, ...(progress !== undefined && { progress }) }).catch(
      () => {},
    );
  const write = async () => {
    while (next !== undefined) {
      const line = next;
      next = undefined;
      await renew(line);
    }
    writing = null;
  };
  const timer = setInterval(() => void renew(), renewEveryMs).unref();
  return {
    setProgress(line) {
      next = line;
      writing ??= write();
    },
    async end(result) {
      clearInterval(timer);
      next = undefined;
      await writing;
      const stored =
        "error" in result
          ? { error: JSON.stringify(failureOf(result.error)) }
          : { report: JSON.stringify(result.report) };
      await endImport(db, { id, holder, result: stored });
    },
  };
}

/**
 * Keeps the upload in PostgreSQL and its archive in the object store, so that any node can plan it again
 * or import it. The archive is removed a day after its upload.
 */
export function makeSharedImports(deps: SharedImportsDependencies): ImportStore {
  const { db, blobs, dir, limits } = deps;
  return {
    async keepArchive(zip) {
      const { size } = await stat(zip);
      const name = await hashFile(zip, size);
      await blobs.put([{ name, path: zip }]);
      return name;
    },
    async insert({ id, report, skipped }, archive) {
      const texts = { report: JSON.stringify(report), skipped: JSON.stringify(skipped) };
      if (await replaceImport(db, { id, archive, ...texts })) return removeTree(join(dir, id));
      throw new AppError("locked", "Another import is running. Try again when it has finished.");
    },
    async find(id) {
      const row = await findImport(db, id);
      return row && toUpload(row);
    },
    isRunning: () => isImportRunning(db),
    updatePlan: (id, report) => updateImportPlan(db, { id, report: JSON.stringify(report) }),
    async withFolder(id, work) {
      const row = await findImport(db, id);
      if (row === undefined) throw expired();
      const place = join(dir, `${id}-${randomUUID()}`);
      await mkdir(place, { recursive: true, mode: 0o700 });
      try {
        const zip = join(place, "folder.zip");
        if (!(await blobs.find({ name: row.archive, path: zip }))) throw expired();
        await unpackZip(zip, filesIn(place), limits);
        await removeTree(zip);
        return await work(await rootOf(filesIn(place)));
      } finally {
        await removeTree(place);
      }
    },
    async begin(id) {
      const holder = randomUUID();
      const isOurs = await beginImport(db, { id, holder, progress: firstStep, leaseMs });
      return isOurs ? runOf(deps, id, holder) : null;
    },
    delete: (id) => deleteImport(db, id),
  };
}
