import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { newUlid } from "../../../kit/ulid.ts";
import { removeTree } from "../../../platform/files.ts";
import type { Log } from "../../../platform/log.ts";
import type { ImportReport } from "../import/importer.ts";
import type { ImportOptions } from "../import/plan.ts";
import {
  expired,
  filesIn,
  firstStep,
  type ImportRun,
  type ImportStore,
  type ImportUpload,
  rootOf,
} from "./import-store.ts";
import { unpackZip, type UnpackLimits } from "./unpack.ts";

/** What the owner sees of an upload; its report includes what was left out of the archive. */
export type ImportView = Omit<ImportUpload, "skipped">;

export type ImportChoices = Pick<ImportOptions, "update" | "withoutSamples" | "resume"> & {
  /** The files of the selected studies; null for all certain ones. */
  files: readonly string[] | null;
  draft: boolean;
};

export interface ImportUploadsDependencies {
  clock: Clock;
  log: Log;
  /** A separate folder; what an earlier process has left there is removed. */
  dir: string;
  store: ImportStore;
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
  start(id: string, choices: ImportChoices): Promise<ImportView>;
  find(id: string): Promise<ImportView>;
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

function viewOf({ id, state, progress, report, error, skipped }: ImportUpload): ImportView {
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
  { dir, store, maxZipBytes, limits, runImport }: ImportUploadsDependencies,
  { body, id }: { body: Readable; id: string },
): Promise<ImportUpload> {
  const place = join(dir, id);
  await mkdir(place, { recursive: true, mode: 0o700 });
  try {
    const zip = join(place, "folder.zip");
    await receive(body, zip, maxZipBytes);
    const { skipped } = await unpackZip(zip, filesIn(place), limits);
    const archive = await store.keepArchive(zip);
    await removeTree(zip);
    const report = await runImport(await rootOf(filesIn(place)), sure, { yes: false });
    const upload: ImportUpload = {
      id,
      skipped,
      report,
      state: "planned",
      progress: null,
      error: null,
    };
    await store.insert(upload, archive);
    return upload;
  } catch (error) {
    await removeTree(place);
    throw error;
  }
}

/** Imports an upload; the result is stored in the upload. */
async function performImport(
  { store, runImport, log }: ImportUploadsDependencies,
  { id, run, choices }: { id: string; run: ImportRun; choices: ImportChoices },
): Promise<void> {
  const onProgress = (line: string) => run.setProgress(line);
  const result = await store
    .withFolder(id, (folder) => runImport(folder, choices, { yes: true, onProgress }))
    .then(
      (report) => ({ report }),
      (error: unknown) => ({ error }),
    );
  await run.end(result).catch((err: unknown) => {
    log.error({ err }, "the result of an import can't be stored");
  });
}

function assertOpen({ state }: Pick<ImportUpload, "state">): void {
  if (state === "running") {
    const message = "This import is running. Wait for it to finish.";
    throw new AppError("invalid_state", message);
  }
  if (state === "done") {
    const message = "This folder was imported. Choose it again to import it once more.";
    throw new AppError("invalid_state", message);
  }
}

const locked = (message: string) => new AppError("locked", message);

/** Only one operation of this process at a time: receiving an archive, or making a plan. */
function makeTurn(store: Pick<ImportStore, "isRunning">) {
  let isTaken = false;
  return {
    isTaken: () => isTaken,
    async run<T>(call: () => Promise<T>): Promise<T> {
      const message = "Another import is running. Try again when it has finished.";
      if (isTaken) throw locked(message);
      isTaken = true;
      try {
        if (await store.isRunning()) throw locked(message);
        return await call();
      } finally {
        isTaken = false;
      }
    },
  };
}

/** Opens the uploads in the store. */
export function makeImportUploads(deps: ImportUploadsDependencies): ImportUploads {
  const { store } = deps;
  const turn = makeTurn(store);
  let work: Promise<unknown> = Promise.resolve();

  const get = async (id: string): Promise<ImportUpload> => {
    const upload = await store.find(id);
    if (upload === undefined) throw expired();
    return upload;
  };

  return {
    async add(body, declaredBytes) {
      if (declaredBytes > deps.maxZipBytes) throw tooLarge(deps.maxZipBytes);
      return turn.run(async () =>
        viewOf(await takeArchive(deps, { body, id: newUlid(deps.clock.now()) })),
      );
    },
    async plan(id, choices) {
      assertOpen(await get(id));
      return turn.run(async () => {
        const report = await store.withFolder(id, (folder) =>
          deps.runImport(folder, choices, { yes: false }),
        );
        await store.updatePlan(id, report);
        return viewOf({ ...(await get(id)), report });
      });
    },
    async start(id, choices) {
      const upload = await get(id);
      assertOpen(upload);
      const busy = () => locked("The import plan isn't ready yet. Try again in a moment.");
      if (turn.isTaken()) throw busy();
      const run = await store.begin(id);
      if (run === null) {
        assertOpen(await get(id));
        throw busy();
      }
      work = performImport(deps, { id, run, choices });
      return viewOf({ ...upload, state: "running", error: null, progress: firstStep });
    },
    find: async (id) => viewOf(await get(id)),
    async discard(id) {
      await get(id);
      if (!(await store.delete(id))) assertOpen({ state: "running" });
    },
    async close() {
      await work;
    },
  };
}
