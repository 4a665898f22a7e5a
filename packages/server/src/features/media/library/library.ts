import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { makeKeyedMutex } from "../../../kit/keyed-mutex.ts";
import { cleanText } from "../../../kit/text.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { removeTree } from "../../../platform/files.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import type { FileCopies } from "../../../platform/storage/file-copies.ts";
import { type CropArea, findMedia, type FocalPoint, type Media, updateMedia } from "../store.ts";
import { addMissingAvif, releaseAvif } from "./avif-variants.ts";
import { makeMediaFiles } from "./files.ts";
import { ingest, type Ingested, type Upload } from "./ingest.ts";
import { sanitizeOriginalName } from "./names.ts";
import { notFound, removeMedia } from "./remove.ts";
import { endJob, type LibraryContext } from "./library-context.ts";
import { cropMedia, replaceMediaFile, uncropMedia } from "./swap.ts";
import { makeLibraryLock } from "./library-lock.ts";

export interface MediaChange {
  id: number;
  alt?: string | undefined;
  isDecorative?: boolean | undefined;
  originalName?: string | undefined;
  focalPoint?: FocalPoint | undefined;
}

export interface MediaLibrary {
  /**
   * Stores a received file, which is moved or removed in any case. The same bytes are stored once.
   * Throws `unsupported_media_type`, `too_large`, `bad_media` (`details.reason`), `unavailable`,
   * `disk_full`, and then stores nothing. An abort throws the signal's reason.
   */
  ingest(upload: Upload): Promise<Ingested>;
  /** Throws `not_found`. */
  update(change: MediaChange): Promise<Media>;
  /** Changes the texts of all items, or of none. Throws `not_found`. */
  describe(items: readonly Omit<MediaChange, "originalName">[]): Promise<Media[]>;
  /**
   * Deletes an item with its files. Throws `not_found`, `conflict` if its files change at the same time, or
   * `in_use` with `details` of `MediaUses`.
   */
  remove(id: number): Promise<void>;
  /**
   * Call before serving requests: completes or undoes what a dead process left unfinished, and
   * keeps other processes from doing so until `close`, because this process's unfinished work looks
   * the same. Throws `locked` while another one is running.
   */
  recover(): Promise<void>;
  /**
   * Keeps a part of an image, in pixels of the whole one; null shows all of it again. Throws
   * `not_found`, `invalid_state` for what can't be cropped, `validation_failed`, `in_use`.
   */
  crop(id: number, area: CropArea | null): Promise<Media>;
  /**
   * Gives an item the file of another one, which is then gone. Throws `not_found`, `invalid_state`,
   * `in_use` with `details` of `MediaUses`.
   */
  replace(id: number, withId: number): Promise<Media>;
  /** Whether it is storing or deleting a file. */
  isBusy(): boolean;
  /**
   * Makes the AVIF variants of an image, if it still needs them. An abort throws the signal's reason
   * and leaves it as it was.
   */
  addAvif(id: number, signal: AbortSignal): Promise<void>;
  /** Requests one rebuild for the AVIF variants that the site doesn't show; false if it needs none. */
  releaseAvif(): Promise<boolean>;
  /** Ends running jobs and the workers. */
  close(): Promise<void>;
}

export interface MediaLibraryOptions extends Omit<LibraryContext, "files"> {
  paths: Pick<InstancePaths, "data" | "uploads" | "content">;
  /** What the instance's other nodes can get; null or none if it is on one disk. */
  copies?: FileCopies | null;
}

/** Writes the changes in one transaction, with one rebuild request. */
async function change(
  { db, onChange }: Pick<LibraryContext, "onChange"> & { db: Db },
  changes: readonly MediaChange[],
): Promise<Media[]> {
  return db.transaction().execute(async (transaction) => {
    const changed: Media[] = [];
    for (const { id, alt, originalName, ...same } of changes) {
      const isThere = await updateMedia(transaction, {
        id,
        ...same,
        alt: alt === undefined ? undefined : cleanText(alt),
        originalName: originalName === undefined ? undefined : sanitizeOriginalName(originalName),
      });
      const media = isThere ? await findMedia(transaction, id) : undefined;
      if (media === undefined) throw notFound();
      changed.push(media);
    }
    const name = changed.length === 1 ? changed[0]?.originalName : `${changed.length} images`;
    await onChange(transaction, `${name} ${changed.length === 1 ? "was" : "were"} described`);
    return changed;
  });
}

/** Ends what a dead process has left. */
async function recoverFiles(context: LibraryContext): Promise<void> {
  const { db, files } = context;
  for (const job of await files.leftovers()) await endJob(context, job);
  for (const id of await files.listOriginals()) {
    const isKept = ((await findMedia(db, id))?.uncropped ?? null) !== null;
    if (!isKept) await files.removeOriginals(id);
  }
}

/** Runs the jobs of one library. */
function makeTurns() {
  const mutex = makeKeyedMutex();
  const underWay = new Set<Promise<unknown>>();
  let others = 0;

  /** Jobs with the same content run one at a time, and `close` waits for them. */
  async function turn<T>(sha256: string, task: () => Promise<T>): Promise<T> {
    const work = mutex.run(sha256, task);
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  }

  /** A job that somebody waits for. */
  async function urgent<T>(sha256: string, task: () => Promise<T>): Promise<T> {
    others += 1;
    try {
      return await turn(sha256, task);
    } finally {
      others -= 1;
    }
  }

  return {
    turn,
    urgent,
    /** Whether a job that somebody waits for is running or waiting. */
    isBusy: () => others > 0,
    /** Resolves when all present jobs have ended. */
    ended: async () => void (await Promise.allSettled(underWay)),
  };
}

interface SwapDependencies {
  context: LibraryContext;
  /** Aborted when the library closes. */
  signal: AbortSignal;
  require(id: number): Promise<Media>;
  /** Runs a job while no other one changes the item with this hash. */
  urgent<T>(sha256: string, task: () => Promise<T>): Promise<T>;
}

function makeSwaps(deps: SwapDependencies): Pick<MediaLibrary, "crop" | "replace"> {
  const { context, signal, require, urgent } = deps;
  return {
    async crop(id, area) {
      const media = await require(id);
      return urgent(media.sha256, async () => {
        const present = await require(id);
        if (area === null) return uncropMedia(context, present);
        return cropMedia(context, present, { area, signal });
      });
    },
    async replace(id, withId) {
      if (id === withId) throw new AppError("invalid_state", "A file can't replace itself.");
      // In a fixed order, so that two of them never wait for each other.
      const keys = [(await require(id)).sha256, (await require(withId)).sha256].toSorted();
      const [first = "", second = ""] = keys;
      const swap = async () => replaceMediaFile(context, await require(id), await require(withId));
      return urgent(first, () => urgent(second, swap));
    },
  };
}

/** The media library of one instance, for the only process that serves it. */
export function makeMediaLibrary({
  paths,
  copies = null,
  ...options
}: MediaLibraryOptions): MediaLibrary {
  const { db, images, videos } = options;
  const context: LibraryContext = { ...options, files: makeMediaFiles(paths, copies) };
  const lock = makeLibraryLock(join(paths.data, "media.lock"));
  const closing = new AbortController();
  const { turn, urgent, isBusy, ended } = makeTurns();

  async function require(id: number): Promise<Media> {
    const media = await findMedia(db, id);
    if (media === undefined) throw notFound();
    return media;
  }

  return {
    async ingest(upload) {
      const signals = upload.signal ? [upload.signal, closing.signal] : [closing.signal];
      const signal = AbortSignal.any(signals);
      try {
        return await urgent(upload.sha256, () => ingest(context, { ...upload, signal }));
      } finally {
        await removeTree(upload.file);
      }
    },
    async update(wanted) {
      const [media] = await change(context, [wanted]);
      return media!;
    },
    describe: (items) => change(context, items),
    async remove(id) {
      const media = await require(id);
      // While it waits for its turn, the item may get other files.
      await urgent(media.sha256, async () => removeMedia(context, await require(id)));
    },
    ...makeSwaps({ context, signal: closing.signal, require, urgent }),
    isBusy,
    async addAvif(id, signal) {
      const media = await findMedia(db, id);
      const end = AbortSignal.any([signal, closing.signal]);
      if (media) await turn(media.sha256, () => addMissingAvif(context, id, end));
    },
    releaseAvif: () => releaseAvif(context),
    async recover() {
      await lock.acquire();
      await recoverFiles(context);
    },
    async close() {
      closing.abort(
        new AppError("unavailable", "The server is shutting down. Try again in a moment."),
      );
      await ended();
      await Promise.all([images.close(), videos.close()]);
      await lock.release();
    },
  };
}
