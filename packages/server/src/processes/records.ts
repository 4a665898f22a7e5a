import { join } from "node:path";
import { registerChangelog } from "../features/changelog/api.ts";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import { registerMedia } from "../features/media/api.ts";
import { makeVideoConverter } from "../features/media/video/video-converter.ts";
import { makeImageWorkers } from "../features/media/image/workers.ts";
import { makeReferences } from "../features/media/reference/references.ts";
import { makeAvifQueue } from "../features/media/library/avif-queue.ts";
import { makeMediaLibrary, type MediaLibrary } from "../features/media/library/library.ts";
import { filesOf, type Media, usesOfMedia } from "../features/media/store.ts";
import { registerProjects } from "../features/projects/api.ts";
import { updateMediaAddresses } from "../features/projects/media-addresses.ts";
import { isoTime } from "../kit/time.ts";
import { makeProjects } from "../features/projects/projects.ts";
import { listRunsUsing } from "../features/projects/run-changes/store.ts";
import { mediaFolder } from "../features/workspace/content-paths.ts";
import type { Repository } from "../features/workspace/git.ts";
import { committedMentioning, filesMentioning } from "../features/workspace/mentions.ts";
import type { Db } from "../platform/db/connect.ts";
import type { AppServer } from "../platform/http/server.ts";
import { AppError } from "../kit/errors.ts";
import { isInstanceQuiet } from "./quiet.ts";
import { repeat, type RepeatingTask } from "./repeat.ts";
import { makeRebuildRequester } from "./request-rebuild.ts";
import type { Instance } from "./instance.ts";
import type { MediaObserver } from "./work-metrics.ts";
import { openSiteSlots } from "./site-slots.ts";
import { makeDiskQuota } from "../platform/disk-quota.ts";

/** The owner's records: projects, media, the changelog. */
export interface Records {
  register(app: AppServer, guard: AdminGuard): void;
  /** Begins the work that is done when nothing else goes on. */
  start(): void;
  close(): Promise<void>;
}

/** Finds where a stored file is used: by projects, and by the site's source. */
export function makeUsageFinder(contentDir: string) {
  return async (transaction: Db, media: Media) => {
    const uses = await usesOfMedia(transaction, [media.id]);
    const files = await filesMentioning(contentDir, filesOf(media));
    const runs = await listRunsUsing(transaction, media.src);
    return { projects: uses.get(media.id) ?? [], files, runs };
  };
}

/** The same, including a killed publish that isn't completed yet. */
export function makeUsageFinderWithPending(
  contentDir: string,
  repository: Repository,
): ReturnType<typeof makeUsageFinder> {
  const usesOf = makeUsageFinder(contentDir);
  return async (transaction, media) => {
    const uses = await usesOf(transaction, media);
    if (uses.files.length > 0) return uses;
    return { ...uses, files: await committedMentioning(repository, [media.src]) };
  };
}

async function openLibrary(instance: Instance, observer: MediaObserver | null) {
  const { config, clock, log, database } = instance;
  const { paths, sandbox } = config;
  const limits = config.limits.media;
  const slots = openSiteSlots(config);
  const dir = join(paths.data, "images");
  const workers = makeImageWorkers({ limits, log, sandbox, dir, slots: slots.image });
  const videoOptions = { paths, limits, sandbox, log, clock, slots: slots.video };
  const converter = await makeVideoConverter(videoOptions);
  const images = observer?.images(workers) ?? workers;
  const videos = observer?.videos(converter) ?? converter;
  const usesOf = makeUsageFinder(paths.content);
  const onChange = makeRebuildRequester(instance);
  const { db } = database;
  const copies = instance.shared?.files ?? null;
  const onAddressChange = (trx: Db, before: Media, after: Media) =>
    updateMediaAddresses(trx, { before, after, at: isoTime(clock.now()) });
  const options = {
    onAddressChange,
    db,
    clock,
    log,
    paths,
    limits,
    images,
    videos,
    onChange,
    usesOf,
    copies,
  };
  const references = makeReferences({ db, clock, paths, images, copies });
  return { library: makeMediaLibrary(options), films: videos, references };
}

/** Makes AVIF variants when nothing else goes on. */
function repeatAvif(instance: Instance, library: MediaLibrary, ending: AbortSignal): RepeatingTask {
  const { clock, log, database } = instance;
  const { db } = database;
  const turn = makeAvifQueue({ db, clock, library, isQuiet: () => isInstanceQuiet(db) });
  const work = async () => {
    // One image after the other, without a pause, until something else begins.
    while (!ending.aborted && (await turn(ending)) === "made");
  };
  return repeat(work, {
    everyMs: 5000,
    onError(error) {
      if (!ending.aborted) log.error({ err: error }, "AVIF variants can't be made");
    },
  });
}

/**
 * Opens the records; with `recovers`, uploads left by a dead process are completed or removed before
 * anything is served.
 */
export async function openRecords(
  instance: Instance,
  { recovers, observer = null }: { recovers: boolean; observer?: MediaObserver | null },
): Promise<Records> {
  const { config, clock, log, database } = instance;
  const { db } = database;
  const { paths, limits, owner } = config;
  const { library, films: videos, references } = await openLibrary(instance, observer);
  if (recovers) {
    await library.recover();
    await references.recover();
  }
  const onChange = makeRebuildRequester(instance);
  const mediaRoot = join(paths.content, mediaFolder, "..");
  const ending = new AbortController();
  const lighter = repeatAvif(instance, library, ending.signal);
  const projects = makeProjects({
    db,
    clock,
    mediaRoot,
    onChange,
    get ownerName() {
      return owner.name;
    },
  });
  return {
    register(app, guard) {
      registerProjects(app, { guard, projects });
      const quota = makeDiskQuota({ dir: config.dir, maxMiB: limits.diskMiB, clock });
      const { shared } = instance;
      const copies = shared?.files ?? null;
      const media = { library, videos, references, paths, limits: limits.media, quota, shared };
      registerMedia(app, { ...media, copies, guard, db, clock, log });
      registerChangelog(app, {
        guard,
        db,
        clock,
        onChange,
        get ownerName() {
          return owner.name;
        },
      });
    },
    start: () => lighter.start(),
    async close() {
      ending.abort(new AppError("unavailable", "The server is shutting down."));
      await lighter.close();
      await library.close();
    },
  };
}
