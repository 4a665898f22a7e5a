import { join } from "node:path";
import { makeReseeder } from "../features/changelog/reseed.ts";
import { exportRecords } from "../features/projects/export.ts";
import type { SiteBuilder } from "../features/release/builder/build.ts";
import { exportSite } from "../features/release/export.ts";
import type { Publisher } from "../features/release/publish.ts";
import { makeRebuilder, type Rebuilder } from "../features/release/rebuild.ts";
import { mediaFolder } from "../features/workspace/content-paths.ts";
import type { Repository } from "../features/workspace/git.ts";
import type { Instance } from "./instance.ts";
import { followChanges } from "./follow-changes.ts";
import { repeat } from "./repeat.ts";

/** How often the changelog's seed file is looked at, in ms. */
const seedEveryMs = 2000;

/** What lets the public site follow the records and the changelog its seed file. */
export interface Following {
  rebuilder: Rebuilder;
  /** Settles what a dead process left; then begins. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Puts the two together for the runner. */
export function makeFollowing(
  instance: Instance,
  parts: {
    repository: Repository;
    publisher: Publisher;
    builder: SiteBuilder;
    /** Called after each rebuild. */
    after(): Promise<void>;
  },
): Following {
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
    onChange: followChanges(instance),
  });
  const rebuilder = makeRebuilder({
    ...parts,
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
    async before() {
      // The name that was just set, and not that of a moment ago.
      await instance.facts.look();
      await reseeder.look();
    },
  });
  const seeds = repeat(() => reseeder.look(), {
    everyMs: seedEveryMs,
    atOnce: true,
    failed: (error) => log.error({ err: error }, "the changelog's seed file can't be read"),
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
