import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { cleanText } from "../../../kit/text.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { mediaFolder } from "../../workspace/content-paths.ts";
import { isPossible, type Problem, type Skipped } from "../problem.ts";
import {
  importSiteIdentity,
  isPortrait,
  type SiteIdentityFiles,
  type SiteIdentityRequest,
  type TextChange,
} from "../resume/content-files.ts";
import type { SampleTexts } from "../resume/page-texts.ts";
import { applyPlan, type ApplyPlanDependencies } from "./apply-plan.ts";
import { readSiteIdentity } from "./site-identity.ts";
import { linkSource } from "./page-links.ts";
import { inspectMediaFiles, type MediaRules } from "./media-files.ts";
import {
  changesFiles,
  type ImportOptions,
  isChosen,
  isEmptyPlan,
  makePlan,
  requiredMedia,
  type Plan,
} from "./plan.ts";
import { imagesOf } from "./images-by-name.ts";
import { readSource, type Source } from "./source.ts";

/** The maximum length of a name in the settings. */
const maxOwnerNameLength = 120;

/** The result or the plan of an import. */
export interface ImportReport {
  path: string;
  /** What was found at the path. */
  generator: Source["generator"];
  /** Whether it is possible. */
  possible: boolean;
  /** Whether it was done. */
  applied: boolean;
  /** Whether there is nothing to change. */
  isUpToDate: boolean;
  projects: {
    action: "create" | "update" | "same" | "conflict";
    slug: string;
    name: string;
    file: string;
    status: string;
    media: number;
    changes: string[];
  }[];
  /** Studies that aren't selected, with the reason for possible projects. */
  proposals: {
    file: string;
    name: string;
    slug: string;
    media: number;
    doubt: string | null;
  }[];
  /** Files that aren't studies or can't be read, with the reason. */
  skipped: Skipped[];
  /** The sample projects that are deleted. */
  removedSamples: string[];
  resume: {
    action: "replace" | "same" | "conflict";
    file: string;
    name: string;
  } | null;
  /** The name in a résumé that isn't selected; null if there is none. */
  otherResume: string | null;
  /** The texts of pages that change with the résumé. */
  texts: TextChange[];
  /** The new owner; null if it doesn't change. */
  owner: string | null;
  /** Whether the sample's changelog entries are deleted. */
  removesSampleChangelog: boolean;
  /** The texts that are still about the sample person after the import of a résumé. */
  unchangedSampleTexts: SampleTexts[];
  /** The number of images and videos to import. */
  media: number;
  problems: Problem[];
  /** Whether the public site shows the import, and why not. */
  site: { live: boolean; reason: string | null } | null;
}

/** Runs imports, one at a time. */
export interface Importer {
  /**
   * Says what importing `path` would do, and does it where that is wanted and possible. Throws
   * `locked` while another import is under way, and what reading, building and publishing throw.
   */
  import(path: string, options: ImportOptions, yes: boolean): Promise<ImportReport>;
  close(): Promise<void>;
}

export interface ImporterDependencies {
  db: Db;
  content: string;
  /** Throws `dirty_tree` if the content has uncommitted changes. */
  assertNoHandEdits(): Promise<void>;
  rules: MediaRules;
  sample: SiteIdentityFiles;
  /** The text of the template's database/projects.json. */
  shipped: string;
  /** The site's owner, as set and in the template. */
  ownerName: string;
  sampleName: string;
  onProgress(line: string): void;
  /** Takes the lock; throws `locked` while another import runs. */
  start(): Promise<ApplyPlanDependencies>;
  /** Waits for the rebuild, or makes it if no runner does. */
  follow(rebuild: number): Promise<{ error: string | null }>;
  close(): Promise<void>;
}

function reportOf(path: string, plan: Plan, source: Source): ImportReport {
  const { resume, own, owner } = plan;
  const left = source.studies.filter((study) => !isChosen(study, plan.options));
  return {
    path,
    generator: source.generator,
    proposals: left.map((study) => ({
      file: study.file,
      name: study.fields.name,
      slug: study.slug,
      media: imagesOf([study]).length,
      doubt: study.doubt,
    })),
    skipped: source.skipped,
    possible: isPossible(plan.problems),
    applied: false,
    isUpToDate: isEmptyPlan(plan),
    projects: plan.projects.map(({ action, study, present, changes }) => ({
      action,
      slug: study.slug,
      name: study.fields.name,
      file: study.file,
      status: study.fields.status ?? present?.status ?? "published",
      media: imagesOf([study]).length,
      changes,
    })),
    removedSamples: plan.samples.map(({ slug }) => slug),
    resume: resume && {
      action: resume.action,
      file: resume.file,
      name: String(resume.resume.basics["name"] ?? ""),
    },
    otherResume:
      resume === null && source.resume !== null
        ? String(source.resume.resume.basics["name"] ?? source.resume.file)
        : null,
    // An image's address isn't known until it is stored.
    texts: own.texts.map((each) =>
      isPortrait(each) ? { ...each, value: resume?.portrait ?? "" } : each,
    ),
    owner,
    removesSampleChangelog: own.changelog,
    unchangedSampleTexts: resume === null ? [] : own.unchangedTexts,
    media: requiredMedia(plan).length,
    problems: plan.problems,
    site: null,
  };
}

/** Problems that would prevent publishing the site's files. */
async function contentProblems(
  { assertNoHandEdits }: ImporterDependencies,
  plan: Plan,
): Promise<Problem[]> {
  if (!changesFiles(plan)) return [];
  try {
    await assertNoHandEdits();
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "dirty_tree") throw error;
    const { message } = error;
    return [{ level: "error", file: plan.resume?.file ?? "", line: null, field: null, message }];
  }
}

/** The new owner, if the owner is still the sample person. */
function ownerAfterImport(
  { ownerName, sampleName }: ImporterDependencies,
  { resume }: Source,
): string | null {
  const name = cleanText(String(resume?.resume.basics["name"] ?? ""));
  const isOpen = ownerName === sampleName && name !== "" && name !== sampleName;
  return isOpen && name.length <= maxOwnerNameLength ? name : null;
}

/** What remains of the sample, and how to remove it. */
function hints({ sampleName }: ImporterDependencies, source: Source, plan: Plan): Problem[] {
  const { options, own, sampleProjects } = plan;
  const note = (message: string): Problem => ({
    level: "note",
    file: "",
    line: null,
    field: null,
    message,
  });
  const isSample = own.unchangedTexts.some(({ fields }) => fields.includes("name"));
  const reported: Problem[] = [];
  if (!source.folder.files.has("resume.json") && source.resume === null && isSample) {
    reported.push(
      note(
        `the pages are still about ${sampleName}. A resume.json next to the case studies replaces the texts of the home, about and contact pages`,
      ),
    );
  }
  if (!options.withoutSamples && sampleProjects > 0) {
    const what =
      sampleProjects === 1 ? "1 sample project stays" : `${sampleProjects} sample projects stay`;
    reported.push(
      note(
        `${what} on the site. --without-samples deletes those that nobody has changed, and removes them from the résumé`,
      ),
    );
  }
  return reported;
}

/** The source without studies that aren't selected. */
function chosenOf(source: Source, options: ImportOptions): Source {
  const studies = source.studies.filter((study) => isChosen(study, options));
  const files = new Set([...studies.map(({ file }) => file), ""]);
  const all = new Set(source.studies.map(({ file }) => file));
  if (!options.resume && source.resume !== null) all.add(source.resume.file);
  // Problems of studies that aren't imported aren't reported.
  const problems = source.problems.filter(({ file }) => files.has(file) || !all.has(file));
  const resume = options.resume ? source.resume : null;
  return { ...source, studies, problems, resume };
}

/** A portrait that can't be imported, if there is nothing else to import. */
function portraitProblems({ resume, studies }: Source, unusable: ReadonlyMap<string, string>) {
  const message = resume?.portrait ? unusable.get(resume.portrait) : undefined;
  if (!resume?.portrait || message === undefined || studies.length > 0) return [];
  const problem: Problem = {
    level: "error",
    file: resume.portrait,
    line: null,
    field: null,
    message,
  };
  return [problem];
}

interface Planned {
  plan: Plan;
  source: Source;
}

async function planFor(
  deps: ImporterDependencies,
  path: string,
  { options, known = new Map() }: { options: ImportOptions; known?: ReadonlyMap<string, string> },
): Promise<Planned> {
  const { db, content, rules, sample, shipped } = deps;
  const first = await readSource(path, { unusable: known });
  const some = chosenOf(first, options);
  const shown = imagesOf(some.studies, some.resume);
  const portrait = some.resume?.portrait ?? null;
  const inspected = await inspectMediaFiles(first.folder, shown, rules, portrait);
  const unusable = new Map([...known, ...inspected.unusable]);
  const refused = portraitProblems(some, inspected.unusable);
  // Read again without the files that can't be imported, so that each use reports them.
  const isSound = inspected.unusable.size === 0 || refused.length > 0;
  const source = isSound ? first : await readSource(path, { unusable });
  const chosen = await linkSource(deps, chosenOf(source, options));
  const files = await readSiteIdentity(content);
  const own = (wanted: SiteIdentityRequest) => importSiteIdentity(files, sample, wanted);
  const owner = ownerAfterImport(deps, chosen);
  const mediaRoot = join(content, mediaFolder, "..");
  const { images } = inspected;
  const input = { db, source: chosen, options, images, own, owner, shipped, mediaRoot };
  const plan = await makePlan(input);
  const more = [...refused, ...(await contentProblems(deps, plan)), ...hints(deps, chosen, plan)];
  return { plan: { ...plan, problems: [...plan.problems, ...more] }, source };
}

/** Creates an instance's importer. */
export function makeImporter(deps: ImporterDependencies): Importer {
  return {
    close: deps.close,
    async import(path, options, yes) {
      // Locks before reading: two imports at once would both consider the same slugs free.
      const doing = yes ? await deps.start() : null;
      const planned = await planFor(deps, path, { options });
      const report = reportOf(path, planned.plan, planned.source);
      if (doing === null || !report.possible || report.isUpToDate) return report;
      deps.onProgress("Importing…");
      let { source } = planned;
      const replan = async (known: ReadonlyMap<string, string>) => {
        const again = await planFor(deps, path, { options, known });
        ({ source } = again);
        return again.plan;
      };
      const { folder } = source;
      const { plan, problems, rebuild } = await applyPlan(doing, planned.plan, { folder, replan });
      const final = reportOf(path, plan, source);
      const all = [...final.problems, ...problems];
      if (!isPossible(all)) return { ...final, problems: all, possible: false };
      const done = { ...final, problems: all, applied: true };
      if (rebuild === null) return { ...done, site: { live: true, reason: null } };
      deps.onProgress("Building the site…");
      const { error } = await deps.follow(rebuild);
      return { ...done, site: { live: error === null, reason: error } };
    },
  };
}
