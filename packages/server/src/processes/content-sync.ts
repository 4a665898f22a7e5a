import { join } from "node:path";
import { makeReseeder } from "../features/changelog/reseed.ts";
import { exportRecords } from "../features/projects/export.ts";
import type { SiteBuilder } from "../features/release/builder/build.ts";
import { exportSite } from "../features/release/export.ts";
import type { Publisher } from "../features/release/publish.ts";
import { followReplacedMedia } from "../features/release/replaced-media.ts";
import { makeRebuilder, openRebuildLock, type Rebuilder } from "../features/release/rebuild.ts";
import { mediaFolder } from "../features/workspace/content-paths.ts";
import type { Repository } from "../features/workspace/git.ts";
import type { Instance } from "./instance.ts";
import { makeRebuildRequester } from "./request-rebuild.ts";
import { repeat } from "./repeat.ts";

/** How often the changelog's seed file is checked, in ms. */
const seedIntervalMs = 2000;

/** Keeps the public site in sync with the records, and the changelog with its seed file. */
export interface ContentSync {
  rebuilder: Rebuilder;
  /** Recovers from a dead process, then starts. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Wires both together for the runner. */
export function makeContentSync(
  instance: Instance,
  deps: {
    repository: Repository;
    publisher: Publisher;
    builder: SiteBuilder;
    /** Called after each rebuild. */
    after(): Promise<void>;
  },
): ContentSync {
  const { config, clock, log, database } = instance;
  const { paths, baseUrl, owner } = config;
  const { db } = database;
  const reseeder = makeReseeder({
    db,
    file: join(paths.content, "database/changelog.json"),
    get ownerName() {
      return owner.name;
    },
    clock,
    log,
    onChange: makeRebuildRequester(instance),
  });
  const local = openRebuildLock(paths);
  const rebuilder = makeRebuilder({
    ...deps,
    lock: instance.shared ? instance.shared.lock("rebuild", local) : local,
    db,
    paths,
    clock,
    log,
    get ownerName() {
      return owner.name;
    },
    mediaDir: join(paths.content, mediaFolder),
    records: (seed) => exportSite(db, { baseUrl, owner }, { seed }),
    exportRecords: () => exportRecords(db),
    prepareSource: (dir) => followReplacedMedia(db, dir),
    async before() {
      // The name that was just set, not a cached one.
      await instance.liveSettings.refresh();
      await reseeder.reseedIfChanged();
    },
  });
  const seeds = repeat(() => reseeder.reseedIfChanged(), {
    everyMs: seedIntervalMs,
    runImmediately: true,
    onError: (error) => log.error({ err: error }, "the changelog's seed file can't be read"),
  });
  return {
    rebuilder,
    async start() {
      await rebuilder.recover();
      seeds.start();
      rebuilder.start();
    },
    async close() {
      await seeds.close();
      await rebuilder.close();
    },
  };
}
