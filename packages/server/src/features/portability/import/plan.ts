import { isDeepStrictEqual } from "node:util";
import { cleanText } from "../../../kit/text.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Media } from "../../media/store.ts";
import { type ProjectWithBrief, projectFields } from "../../projects/project.ts";
import type { ProjectCreate } from "../../projects/schema.ts";
import { findProject, listAll, listRedirects } from "../../projects/store.ts";
import type { Problem } from "../problem.ts";
import type { SiteIdentityChange, SiteIdentityRequest } from "../resume/content-files.ts";
import { diagnosePreservedFields } from "../resume/preserved-fields.ts";
import type { ResumeWithPortrait } from "../resume/portrait.ts";
import { joinBody } from "../study/body.ts";
import type { Study } from "../study/study.ts";
import type { SourceMediaFile } from "./media-files.ts";
import type { ProjectStep } from "./step.ts";
import {
  namesByVisibility,
  diagnoseVideoPortrait,
  diagnoseVideos,
  diagnoseSteps,
} from "./diagnostics.ts";
import {
  findServedImages,
  findUploadedImages,
  placeholderImage,
  type StoredImage,
} from "./stored-images.ts";
import { findSamples } from "./samples.ts";
import { imagesOf } from "./images-by-name.ts";
import type { Source } from "./source.ts";

export interface ImportOptions {
  /** Whether existing projects are updated. */
  update: boolean;
  /** Whether new projects become drafts, whatever their status. */
  draft: boolean;
  /** Whether unchanged sample projects are deleted. */
  withoutSamples: boolean;
  /** Which studies: certain ones, possible ones too, or these files. */
  choice: ImportChoice;
  /** Whether a résumé next to the studies is imported, too. */
  resume: boolean;
}

export type ImportChoice = "sure" | "all" | readonly string[];

/** Whether a study is to be imported. */
export function isChosen({ file, doubt }: Study, { choice }: ImportOptions): boolean {
  if (choice === "sure") return doubt === null;
  // As in a request, whose texts are sanitized.
  return choice === "all" || choice.includes(file) || choice.includes(cleanText(file));
}

/** What happens to the résumé. */
export interface ResumeStep extends ResumeWithPortrait {
  action: "replace" | "same" | "conflict";
  file: string;
}

/** An import's changes and problems. */
export interface Plan {
  projects: ProjectStep[];
  samples: ProjectWithBrief[];
  /** The number of unchanged sample projects. */
  sampleProjects: number;
  resume: ResumeStep | null;
  /** The changes to the site's files. */
  own: SiteIdentityChange;
  /** The new owner; null if it doesn't change. */
  owner: string | null;
  images: Map<string, SourceMediaFile>;
  /** Images that are the library's own files, as in an export. */
  served: Map<string, Media>;
  problems: Problem[];
  options: ImportOptions;
}

type Fields = Omit<ProjectCreate, "slug">;

/** A study's values for a project, once its images' addresses are known. */
export function fieldsOf(
  study: Study,
  present: ProjectWithBrief | null,
  storedAs: (path: string) => Pick<StoredImage, "src" | "alt">,
): Fields {
  const addressOf = (path: string) => storedAs(path).src;
  const body = projectFields.body.parse(joinBody(study.body, addressOf));
  if (study.gallery === null) return { ...study.fields, body };
  const before = new Map(present?.gallery.map((item) => [item.src, item]));
  const gallery = study.gallery.map(({ path, alt, caption }) => {
    const { src, alt: own } = storedAs(path);
    const there = before.get(src);
    // What the owner has described here since stays described; what the file itself says of what it
    // shows need not be said again.
    const isOwn = there !== undefined && there.alt === undefined && alt === own;
    const words = isOwn ? undefined : (alt ?? there?.alt);
    return { src, caption, ...(words === undefined ? {} : { alt: words }) };
  });
  return { ...study.fields, body, gallery: projectFields.gallery.parse(gallery) };
}

/** The names of the fields that the import would change. */
export function changesOf(present: ProjectWithBrief, fields: Fields): string[] {
  return Object.entries(fields)
    .filter(([name, value]) => !isDeepStrictEqual(value, present[name as keyof ProjectWithBrief]))
    .map(([name]) => name);
}

function withDraftStatus(study: Study, { draft }: ImportOptions): Study {
  return draft ? { ...study, fields: { ...study.fields, status: "draft" } } : study;
}

/** The former slugs of a study that aren't used by a redirect or a project. */
function newAliases({ slug, aliases }: Study, { redirects, slugs }: TakenSlugs): string[] {
  return aliases.filter((alias) => !slugs.has(alias) && !redirects.has(alias) && alias !== slug);
}

/** The slugs in use after the import. */
interface TakenSlugs {
  slugs: ReadonlySet<string>;
  /** Current slugs by former ones. */
  redirects: ReadonlyMap<string, string>;
}

interface PlanProjectOptions {
  options: ImportOptions;
  takenSlugs: TakenSlugs;
  storedAs(path: string): StoredImage;
}

function planProject(
  study: Study,
  present: ProjectWithBrief | null,
  { options, takenSlugs, storedAs }: PlanProjectOptions,
): ProjectStep {
  const aliases = newAliases(study, takenSlugs);
  if (present === null) {
    const wanted = withDraftStatus(study, options);
    return { action: "create", study: wanted, present, changes: [], aliases };
  }
  const changes = changesOf(present, fieldsOf(study, present, storedAs));
  if (aliases.length > 0) changes.push("aliases");
  const action = changes.length === 0 ? "same" : options.update ? "update" : "conflict";
  return { action, study, present, changes, aliases };
}

function planResume(
  { resume: found, studies }: Source,
  { isNew, isOwn }: SiteIdentityChange,
  { update }: ImportOptions,
): { step: ResumeStep | null; problems: Problem[] } {
  if (found === null) return { step: null, problems: [] };
  const isConflict = isNew && isOwn && !update;
  const action = isConflict ? "conflict" : isNew ? "replace" : "same";
  const message = "the site already has its own résumé. Use --update to replace it";
  // A problem of the résumé doesn't prevent importing the case studies.
  const level = studies.length > 0 ? "warning" : "error";
  const problem: Problem = { level, file: found.file, line: null, field: null, message };
  return { step: { action, ...found }, problems: isConflict ? [problem] : [] };
}

export interface MakePlanDependencies {
  db: Db;
  source: Source;
  options: ImportOptions;
  /** The results of `inspectMediaFiles`. */
  images: Map<string, SourceMediaFile>;
  /** Its changes to the site's files. */
  own(wanted: SiteIdentityRequest): SiteIdentityChange;
  /** The new owner; null if it doesn't change. */
  owner: string | null;
  /** The text of the template's database/projects.json. */
  shipped: string;
  /** The folder that addresses such as /media/2026/a.webp are files below. */
  mediaRoot: string;
}

/** Determines what an import would do to the current records, without changing anything. */
export async function makePlan(deps: MakePlanDependencies): Promise<Plan> {
  const { db, source, options, images } = deps;
  const uploaded = await findUploadedImages(db, images);
  const others = [...images.values()].filter(({ path }) => !uploaded.has(path));
  const served = await findServedImages(db, others, deps.mediaRoot);
  const storedAs = (path: string) =>
    uploaded.get(path) ?? served.get(path) ?? placeholderImage(path);
  const all = await listAll(db);
  const found = findSamples(all, deps.shipped);
  const wanted = new Set(source.studies.map(({ slug }) => slug));
  const redirects = new Map((await listRedirects(db, "all")).map(({ from, to }) => [from, to]));
  const slugs = new Set([...wanted, ...all.map(({ slug }) => slug)]);
  const one = { options, takenSlugs: { slugs, redirects }, storedAs };
  const steps: ProjectStep[] = [];
  const obstacles = new Set<number>();
  for (const study of source.studies) {
    const present = await findProject(db, { slug: study.slug });
    const step = planProject(study, present, one);
    const isSample = found.some(({ id }) => id === present?.id);
    if (options.withoutSamples && isSample && step.action !== "same" && present !== null) {
      obstacles.add(present.id);
      steps.push(planProject(study, null, one));
    } else steps.push(step);
  }
  const samples = options.withoutSamples
    ? found.filter(({ id, slug }) => obstacles.has(id) || !wanted.has(slug))
    : [];
  const wantedOwn = deps.own(siteIdentityRequest({ resume: source.resume, options }, storedAs));
  const { step: resume, problems } = planResume(source, wantedOwn, options);
  const isLeft = resume?.action === "conflict";
  const own = isLeft ? deps.own(siteIdentityRequest({ resume, options }, storedAs)) : wantedOwn;
  const videos = [
    ...diagnoseVideos(source.studies, images),
    ...diagnoseVideoPortrait(source.resume, images),
  ];
  const preserved = source.resume
    ? diagnosePreservedFields(
        source.resume.file,
        source.resume.resume,
        namesByVisibility(all, samples, steps),
      )
    : [];
  const reported = [...diagnoseSteps(steps), ...videos, ...preserved];
  return {
    projects: steps,
    samples,
    sampleProjects: found.length,
    resume,
    own,
    owner: isLeft ? null : deps.owner,
    images,
    served,
    options,
    problems: [...source.problems, ...reported, ...problems],
  };
}

/** The site's files that an import concerns. */
export function siteIdentityRequest(
  {
    resume: given,
    options: { withoutSamples },
  }: Pick<Plan, "options"> & { resume: (ResumeWithPortrait & Partial<ResumeStep>) | null },
  storedAs: (path: string) => StoredImage,
): SiteIdentityRequest {
  const resume = given?.action === "conflict" ? null : given;
  const portrait = resume?.portrait ? storedAs(resume.portrait) : null;
  return { resume: resume?.resume ?? null, portrait, withoutSamples };
}

/** Whether the site's files change. */
export function changesFiles({ own: { files } }: Plan): boolean {
  return Object.keys(files).length > 0;
}

/** Whether there is anything to do. */
export function isEmptyPlan(plan: Plan): boolean {
  const isSame = plan.projects.every(({ action }) => action === "same" || action === "conflict");
  return isSame && plan.samples.length === 0 && plan.owner === null && !changesFiles(plan);
}

/**
 * The images to store for new and changed content. It includes the portrait whenever the site's
 * files change, because these changes are computed again from their state at that time.
 */
export function requiredMedia(plan: Plan): SourceMediaFile[] {
  const { projects, images, served } = plan;
  const changed = projects.filter(({ action }) => action === "create" || action === "update");
  const studies = changed.map(({ study }) => study);
  const resume = changesFiles(plan) ? plan.resume : null;
  return imagesOf(studies, resume).flatMap((path) =>
    served.has(path) ? [] : (images.get(path) ?? []),
  );
}
