import type { Clock } from "../../kit/clock.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { retryTransaction } from "../../platform/db/retry-transaction.ts";
import { notFound, withMedia } from "./detail.ts";
import { findMissingFiles } from "./gallery.ts";
import { readFilters, readList } from "./listing.ts";
import { reorderProjects } from "./order.ts";
import type { ProjectWithBrief } from "./project.ts";
import { recordChanges } from "./record-change.ts";
import type {
  ProjectCreate,
  ProjectDelete,
  ProjectDetail,
  ProjectFilters,
  ProjectList,
  ProjectListQuery,
  ProjectQuery,
  ProjectSave,
} from "./schema.ts";
import { findProject } from "./store.ts";
import { addProject, changeProject, removeProject } from "./write.ts";

export interface ProjectsDependencies {
  db: Db;
  clock: Clock;
  /** The folder below which addresses such as /media/2026/a.webp are files. */
  mediaRoot: string;
  /** Who changes projects here, for the changelog. */
  ownerName: string;
  /** Called for every change in its transaction; if it throws, nothing changes. */
  onChange(transaction: Db, reason: string): Promise<void>;
}

/**
 * The owner's projects. Every change is made completely or not at all, and reported to `onChange`.
 */
export interface Projects {
  list(query: ProjectListQuery): Promise<ProjectList>;
  filters(): Promise<ProjectFilters>;
  /** Finds a project by ID or current slug. Throws `not_found`. */
  get(query: ProjectQuery): Promise<ProjectDetail>;
  /**
   * Adds a project at the end, by default as a draft. Throws `already_exists` if a given slug is
   * taken, `validation_failed` for a gallery with media that aren't stored.
   */
  create(fields: ProjectCreate): Promise<ProjectDetail>;
  /**
   * Changes the given fields of a project at the given version; without an effective change, the
   * version stays. Throws the errors of `create`, `not_found`, and `stale_version` with the current
   * record.
   */
  save(change: ProjectSave): Promise<ProjectDetail>;
  /** Deletes a project permanently. Throws `not_found`, `stale_version`. */
  remove(which: ProjectDelete): Promise<{ id: number; deleted: true }>;
  /**
   * Puts the given projects in this order into the positions that they occupy. Throws
   * `validation_failed` for unknown or duplicate IDs.
   */
  reorder(ids: readonly number[]): Promise<{ ids: number[] }>;
}

/** The owner's projects in this database. */
export function makeProjects(deps: ProjectsDependencies): Projects {
  const { db, clock, mediaRoot, onChange } = deps;
  const now = () => isoTime(clock.now());
  const record = (trx: Db, before: ProjectWithBrief | null, after: ProjectWithBrief | null) =>
    recordChanges(trx, [{ before, after }], { at: now(), actor: deps.ownerName });
  return {
    list: (query) => readList(db, query),
    filters: () => readFilters(db),
    async get({ id, slug }) {
      const project = await findProject(db, id === undefined ? { slug: slug ?? "" } : { id });
      if (project === null) throw notFound();
      return withMedia(db, project);
    },
    async create(fields) {
      const missingFiles = await findMissingFiles(mediaRoot, fields.gallery ?? []);
      return retryTransaction(db, async (transaction) => {
        const project = await addProject(transaction, fields, { at: now(), missingFiles });
        await record(transaction, null, project);
        await onChange(transaction, `${project.name} was added`);
        return withMedia(transaction, project);
      });
    },
    async save(change) {
      const missingFiles = await findMissingFiles(mediaRoot, change.gallery ?? []);
      return retryTransaction(db, async (transaction) => {
        const saved = await changeProject(transaction, change, { at: now(), missingFiles });
        if (saved.written) {
          await record(transaction, saved.before, saved.project);
          await onChange(transaction, `${saved.project.name} was changed`);
        }
        return withMedia(transaction, saved.project);
      });
    },
    async remove(which) {
      await retryTransaction(db, async (transaction) => {
        const removed = await removeProject(transaction, which);
        await record(transaction, removed, null);
        await onChange(transaction, `${removed.name} was deleted`);
      });
      return { id: which.id, deleted: true };
    },
    async reorder(ids) {
      await retryTransaction(db, async (transaction) => {
        if (!(await reorderProjects(transaction, ids))) return;
        await onChange(transaction, "The order of the projects was changed");
      });
      return { ids: [...ids] };
    },
  };
}
