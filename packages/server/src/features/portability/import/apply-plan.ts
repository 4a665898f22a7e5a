import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { pendingRebuild, requestRebuild } from "../../release/rebuild-requests.ts";
import { mediaFolder } from "../../workspace/content-paths.ts";
import type { Folder } from "../folder/folder.ts";
import { isPossible, type Problem } from "../problem.ts";
import { putSetting } from "../../settings/store.ts";
import { ownerDefinition } from "../../settings/site-settings.ts";
import { importSiteIdentity, type SiteIdentityFiles } from "../resume/content-files.ts";
import { portraitAlt } from "../resume/portrait.ts";
import { cleanUpInterruptedImport } from "./cleanup.ts";
import { importMedia, type ImportMediaDependencies } from "./media.ts";
import { type SiteIdentityDependencies, publishSiteIdentity } from "./site-identity.ts";
import { changesFiles, requiredMedia, siteIdentityRequest, type Plan } from "./plan.ts";
import { prepareRecords, type PreparedRecords } from "./records.ts";
import type { StoredImage } from "./stored-images.ts";
import { namesByVisibility } from "./diagnostics.ts";

/** The dependencies of an import. The caller holds the import lock. */
export interface ApplyPlanDependencies extends ImportMediaDependencies {
  own: SiteIdentityDependencies;
  /** The template's texts. */
  sample: SiteIdentityFiles;
  /** The content repository's folder. */
  content: string;
}

export interface ApplyPlanResult {
  /** The applied plan, without images that couldn't be imported. */
  plan: Plan;
  /** Errors if nothing was imported. */
  problems: Problem[];
  /** The rebuild request for the records; null if none is needed. */
  rebuild: number | null;
}

export interface ApplyPlanOptions {
  folder: Folder;
  /** Makes the plan again without images that can't be imported, given by path with the reasons. */
  replan(unusable: ReadonlyMap<string, string>): Promise<Plan>;
}

/** An image's alt text from the first study that has one; a portrait has its own. */
function altsOf({ projects, resume }: Plan): (path: string) => string {
  const alts = new Map<string, string>();
  for (const { study } of projects) {
    for (const { path, alt } of study.gallery ?? []) {
      if (alt !== undefined && alt !== "" && !alts.has(path)) alts.set(path, alt);
    }
  }
  if (resume?.portrait && !alts.has(resume.portrait)) {
    alts.set(resume.portrait, portraitAlt(resume.resume));
  }
  return (path) => (alts.get(path) ?? "").slice(0, 300);
}

/** Sets the site's owner. */
async function writeOwner(
  { own }: ApplyPlanDependencies,
  transaction: Db,
  name: string,
): Promise<void> {
  const value = JSON.stringify({ ...own.owner, name });
  const stored = { value: ownerDefinition.check?.(value) ?? value, sealed: null };
  await putSetting(transaction, ownerDefinition.name, stored, isoTime(own.clock.now()));
}

/** The reason for a rebuild; null if only the site's files change, which are published. */
function reasonOf(plan: Plan, records: PreparedRecords): string | null {
  if (records.count > 0) return records.reason;
  if (plan.owner !== null) return "the owner was changed";
  // A rebuild also commits stored files.
  return requiredMedia(plan).length > 0 ? "a portrait was imported" : null;
}

/** Writes records and the site's files: both or neither, until the publish has begun. */
async function write(
  deps: ApplyPlanDependencies,
  plan: Plan,
  { records, storedAs }: { records: PreparedRecords; storedAs(path: string): StoredImage },
): Promise<number | null> {
  const { db, own, sample } = deps;
  let rebuild: number | null = null;
  const inTransaction = async (transaction: Db) => {
    if (plan.owner !== null) await writeOwner(deps, transaction, plan.owner);
    const reason = reasonOf(plan, records);
    if (reason === null) return;
    await records.write(transaction, isoTime(own.clock.now()));
    await requestRebuild(transaction, { reason, now: own.clock.now() });
    rebuild = await pendingRebuild(transaction);
  };
  if (!changesFiles(plan)) {
    await db.transaction().execute(inTransaction);
  } else {
    const wanted = siteIdentityRequest(plan, storedAs);
    const change = (files: SiteIdentityFiles) => importSiteIdentity(files, sample, wanted);
    const ownerName = plan.owner ?? own.owner.name;
    // The build precedes the records, so projects that they hide have to be hidden already.
    const { hidden } = namesByVisibility([], [], plan.projects);
    const build: SiteIdentityDependencies["build"] = (workspace) => own.build(workspace, hidden);
    await publishSiteIdentity({ ...own, build }, { change, ownerName }, inTransaction);
  }
  return rebuild;
}

/**
 * Applies a plan completely or not at all. Images are stored first and removed if something fails;
 * if some can't be decoded, the plan is made again without them. Records and the start of the
 * résumé's publish are one transaction. Throws `stale_version` or `already_exists` if the records
 * have changed since the plan, and the errors of the library, the build, and the publisher.
 */
export async function applyPlan(
  deps: ApplyPlanDependencies,
  planned: Plan,
  { folder, replan }: ApplyPlanOptions,
): Promise<ApplyPlanResult> {
  const images = requiredMedia(planned);
  const { repository } = deps.own;
  const wanted = new Set(images.map(({ sha256 }) => sha256));
  const started = await cleanUpInterruptedImport({ ...deps, repository }, wanted);
  const brought = await importMedia(deps, folder, images, { altOf: altsOf(planned), started });
  try {
    const plan = brought.failed.size > 0 ? await replan(brought.failed) : planned;
    if (!isPossible(plan.problems)) {
      await brought.undo();
      return { plan, problems: plan.problems, rebuild: null };
    }
    const storedAs = (path: string) => {
      const media = brought.media.get(path) ?? plan.served.get(path);
      if (media === undefined) throw new AppError("internal", `${path} was not stored.`);
      return media;
    };
    const mediaRoot = join(deps.content, mediaFolder, "..");
    const ownerName = plan.owner ?? deps.own.owner.name;
    const records = await prepareRecords(plan, { db: deps.db, mediaRoot, storedAs, ownerName });
    const rebuild = await write(deps, plan, { records, storedAs });
    await brought.keep();
    return { plan, problems: brought.problems, rebuild };
  } catch (error) {
    // Files of an unfinished publish are in use and stay.
    await brought.undo();
    throw error;
  }
}
