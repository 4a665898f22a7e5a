import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { assertContentClean } from "../../workspace/content-tree.ts";
import type { Repository } from "../../workspace/git.ts";
import { isPossible, type Problem } from "../problem.ts";
import { bringResume, type OwnFiles } from "../resume/content-files.ts";
import { carryOut, type ImportParts } from "./carry-out.ts";
import { readOwn } from "./own.ts";
import { lookAtPictures, type PictureRules } from "./pictures.ts";
import { type ImportOptions, isNothing, makePlan, neededPictures, type Plan } from "./plan.ts";
import { picturesOf, readSource, type Source } from "./source.ts";

/** What an import would do, or has done, in the words of its answer. */
export interface ImportReport {
  path: string;
  /** Whether nothing stands in its way. */
  possible: boolean;
  /** Whether it was done. */
  applied: boolean;
  /** Whether all is already as it is to be. */
  nothingToDo: boolean;
  projects: {
    action: "create" | "update" | "same" | "conflict";
    slug: string;
    name: string;
    file: string;
    status: string;
    pictures: number;
    changes: string[];
  }[];
  /** The sample projects that go. */
  samples: string[];
  resume: {
    action: "replace" | "same" | "conflict";
    file: string;
    name: string;
    site: string[];
  } | null;
  /** How many pictures and films are to be brought in. */
  pictures: number;
  problems: Problem[];
  /** Whether the public site shows it, after it was done; its reason where it does not. */
  site: { live: boolean; reason: string | null } | null;
}

/** Where imports are done, one at a time. */
export interface ImportDesk {
  /**
   * Says what importing `path` would do, and does it where that is wanted and possible. Throws
   * `locked` while another import is under way, and what reading, building and publishing throw.
   */
  import(path: string, options: ImportOptions, yes: boolean): Promise<ImportReport>;
  close(): Promise<void>;
}

export interface DeskParts {
  db: Db;
  content: string;
  repository: Repository;
  rules: PictureRules;
  sample: OwnFiles;
  /** The text of the template's database/projects.json. */
  shipped: string;
  /** Who the site's owner is, as set, and as shipped. */
  ownerName: string;
  sampleName: string;
  onProgress(line: string): void;
  /** Gets ready to do it; throws `locked` while another import is. */
  begin(): Promise<ImportParts>;
  /** Waits until the site shows the records, or has it done where nobody else does. */
  follow(rebuild: number): Promise<{ error: string | null }>;
  close(): Promise<void>;
}

function reportOf(path: string, plan: Plan): ImportReport {
  const { resume } = plan;
  return {
    path,
    possible: isPossible(plan.problems),
    applied: false,
    nothingToDo: isNothing(plan),
    projects: plan.projects.map(({ action, study, present, changes }) => ({
      action,
      slug: study.slug,
      name: study.fields.name,
      file: study.file,
      status: study.fields.status ?? present?.status ?? "published",
      pictures: picturesOf([study]).length,
      changes,
    })),
    samples: plan.samples.map(({ slug }) => slug),
    resume: resume && {
      action: resume.action,
      file: resume.file,
      name: String(resume.resume.basics["name"] ?? ""),
      site: resume.site,
    },
    pictures: neededPictures(plan).length,
    problems: plan.problems,
    site: null,
  };
}

/** What would make the résumé's publish be refused. */
async function contentProblems({ repository }: DeskParts, plan: Plan): Promise<Problem[]> {
  if (plan.resume?.action !== "replace") return [];
  try {
    await assertContentClean(repository);
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "dirty_tree") throw error;
    const { message } = error;
    return [{ level: "error", file: plan.resume.file, line: null, field: null, message }];
  }
}

function hints({ ownerName, sampleName }: DeskParts, { resume }: Source): Problem[] {
  const name = String(resume?.resume.basics["name"] ?? "");
  if (resume === null || name === "" || ownerName !== sampleName || name === sampleName) return [];
  const message = `the owner in the settings is still ${ownerName}: change that under Settings`;
  return [{ level: "note", file: resume.file, line: null, field: "/basics/name", message }];
}

async function planFor(parts: DeskParts, source: Source, options: ImportOptions): Promise<Plan> {
  const { db, content, rules, sample, shipped } = parts;
  const looked = await lookAtPictures(source.folder, picturesOf(source.studies), rules);
  const files = source.resume === null ? null : await readOwn(content);
  const own =
    files && ((resume: Parameters<typeof bringResume>[2]) => bringResume(files, sample, resume));
  const plan = await makePlan({ db, source, options, looked, own, shipped });
  const more = [...(await contentProblems(parts, plan)), ...hints(parts, source)];
  return { ...plan, problems: [...plan.problems, ...more] };
}

/** Makes the desk of an instance. */
export function makeDesk(parts: DeskParts): ImportDesk {
  return {
    close: parts.close,
    async import(path, options, yes) {
      // Before the look: two imports at once would both take the same slugs for free.
      const doing = yes ? await parts.begin() : null;
      const source = await readSource(path);
      const plan = await planFor(parts, source, options);
      const report = reportOf(path, plan);
      if (doing === null || !report.possible || report.nothingToDo) return report;
      parts.onProgress("Bringing it in …");
      const { problems, rebuild } = await carryOut(doing, plan, source.folder);
      const all = [...report.problems, ...problems];
      if (!isPossible(all)) return { ...report, problems: all, possible: false };
      const done = { ...report, problems: all, applied: true };
      if (rebuild === null) return { ...done, site: { live: true, reason: null } };
      parts.onProgress("Building the site …");
      const { error } = await parts.follow(rebuild);
      return { ...done, site: { live: error === null, reason: error } };
    },
  };
}
