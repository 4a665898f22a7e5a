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
  /** The folder that addresses such as /media/2026/a.webp are files below. */
  mediaRoot: string;
  /** Who changes projects here, for the changelog. */
  ownerName: string;
  /** Told of every change, in the transaction that makes it; when it throws nothing changes. */
  onChange(transaction: Db, reason: string): Promise<void>;
}

/** The owner's projects. Every change is whole or not at all, and is told to `onChange`. */
export interface Projects {
  list(query: ProjectListQuery): Promise<ProjectList>;
  filters(): Promise<ProjectFilters>;
  /** By the id or the present slug. Throws `not_found`. */
  get(query: ProjectQuery): Promise<ProjectDetail>;
  /**
   * Adds a project at the end, a draft unless told. Throws `already_exists` for a given slug that is
   * another's, `validation_failed` for a gallery that names what is not stored.
   */
  create(fields: ProjectCreate): Promise<ProjectDetail>;
  /**
   * Changes the given fields of the project that is at the given version; what changes nothing
   * leaves the version. Throws what `create` does, `not_found`, and `stale_version` with the present
   * record.
   */
  save(change: ProjectSave): Promise<ProjectDetail>;
  /** Removes a project for good. Throws `not_found`, `stale_version`. */
  remove(which: ProjectDelete): Promise<{ id: number; deleted: true }>;
  /**
   * Puts the named projects, in the order given, into the places that they hold among all. Throws
   * `validation_failed` for one that is unknown or named twice.
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
