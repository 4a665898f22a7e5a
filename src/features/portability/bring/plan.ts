import { isDeepStrictEqual } from "node:util";
import type { Db } from "../../../platform/db/connect.ts";
import { findMediaByHash, type Media } from "../../media/store.ts";
import { type BriefedProject, projectFields } from "../../projects/project.ts";
import type { ProjectCreate } from "../../projects/schema.ts";
import { findProject } from "../../projects/store.ts";
import type { Problem } from "../problem.ts";
import type { OwnChange } from "../resume/content-files.ts";
import type { Resume } from "../resume/json-resume.ts";
import { joinBody } from "../study/body.ts";
import type { Study } from "../study/study.ts";
import type { PictureFile } from "./pictures.ts";
import { findSamples } from "./samples.ts";
import { picturesOf, type Source } from "./source.ts";

export interface ImportOptions {
  /** Whether projects that are there already are changed. */
  update: boolean;
  /** Whether new projects are drafts, whatever they say. */
  draft: boolean;
  /** Whether the sample projects that are as they were shipped go. */
  withoutSamples: boolean;
}

export type StepAction = "create" | "update" | "same" | "conflict";

/** What becomes of one case study. */
export interface ProjectStep {
  action: StepAction;
  study: Study;
  /** The project that has the slug. */
  present: BriefedProject | null;
  /** The names of the fields that become something else. */
  changes: string[];
}

/** What becomes of the résumé. */
export interface ResumeStep {
  action: "replace" | "same" | "conflict";
  file: string;
  resume: Resume;
  /** What of the site's own words it replaces. */
  site: string[];
}

/** What an import is going to do, and what stands in its way. */
export interface Plan {
  projects: ProjectStep[];
  samples: BriefedProject[];
  resume: ResumeStep | null;
  pictures: Map<string, PictureFile>;
  problems: Problem[];
  options: ImportOptions;
}

type Fields = Omit<ProjectCreate, "slug">;

/** What a study makes of a project, once the addresses of its pictures are known. */
export function fieldsOf(
  study: Study,
  present: BriefedProject | null,
  addressOf: (path: string) => string,
): Fields {
  const body = projectFields.body.parse(joinBody(study.body, addressOf));
  if (study.gallery === null) return { ...study.fields, body };
  const before = new Map(present?.gallery.map((item) => [item.src, item]));
  const gallery = study.gallery.map(({ path, alt, caption }) => {
    const src = addressOf(path);
    // What the owner has described here since stays described.
    const words = alt ?? before.get(src)?.alt;
    return { src, caption, ...(words === undefined ? {} : { alt: words }) };
  });
  return { ...study.fields, body, gallery: projectFields.gallery.parse(gallery) };
}

/** The names of the fields in which a project is not as it is to be. */
export function changesOf(present: BriefedProject, fields: Fields): string[] {
  return Object.entries(fields)
    .filter(([name, value]) => !isDeepStrictEqual(value, present[name as keyof BriefedProject]))
    .map(([name]) => name);
}

/** Stands for the address of what is not stored yet: no stored file has it. */
const unknownAddress = (path: string) =>
  `/media/0000/${Buffer.from(path).toString("hex").slice(0, 80) || "0"}.new`;

async function storedPictures(
  db: Db,
  pictures: ReadonlyMap<string, PictureFile>,
): Promise<Map<string, Media>> {
  const stored = new Map<string, Media>();
  for (const { path, sha256 } of pictures.values()) {
    const media = await findMediaByHash(db, sha256);
    if (media !== undefined) stored.set(path, media);
  }
  return stored;
}

function draftIfAsked(study: Study, { draft }: ImportOptions): Study {
  return draft ? { ...study, fields: { ...study.fields, status: "draft" } } : study;
}

function planOne(
  study: Study,
  present: BriefedProject | null,
  options: ImportOptions,
  addressOf: (path: string) => string,
): ProjectStep {
  if (present === null) {
    return { action: "create", study: draftIfAsked(study, options), present, changes: [] };
  }
  const changes = changesOf(present, fieldsOf(study, present, addressOf));
  const action = changes.length === 0 ? "same" : options.update ? "update" : "conflict";
  return { action, study, present, changes };
}

function tellConflicts(steps: readonly ProjectStep[]): Problem[] {
  const conflicts = steps.filter(({ action }) => action === "conflict");
  return conflicts.map(({ study, changes }): Problem => {
    const message = `the project ${study.slug} is there already and differs in ${changes.join(", ")}: --update changes it`;
    return { level: "error", file: study.file, line: null, field: "slug", message };
  });
}

/** A film can be in the gallery alone: a text shows pictures. */
function tellFilms(
  studies: readonly Study[],
  pictures: ReadonlyMap<string, PictureFile>,
): Problem[] {
  return studies.flatMap(({ file, body }) =>
    body.flatMap((piece): Problem[] => {
      if (typeof piece === "string" || piece.kind !== "image") return [];
      if (pictures.get(piece.path)?.kind !== "video") return [];
      const message = `${piece.path} is a film, which can't stand inside a text: give it a paragraph of its own`;
      return [{ level: "error", file, line: null, field: null, message }];
    }),
  );
}

function planResume(
  source: Source,
  own: ((resume: Resume) => OwnChange) | null,
  { update }: ImportOptions,
): { step: ResumeStep | null; problems: Problem[] } {
  if (source.resume === null || own === null) return { step: null, problems: [] };
  const { file, resume } = source.resume;
  const { isNew, isOwn, site } = own(resume);
  const isConflict = isNew && isOwn && !update;
  const action = isConflict ? "conflict" : isNew || site.length > 0 ? "replace" : "same";
  const message = "the site has a résumé of its own already: --update replaces it";
  const problem: Problem = { level: "error", file, line: null, field: null, message };
  return { step: { action, file, resume, site }, problems: isConflict ? [problem] : [] };
}

export interface PlanParts {
  db: Db;
  source: Source;
  options: ImportOptions;
  /** What was found of the pictures, by `lookAtPictures`. */
  looked: { pictures: Map<string, PictureFile>; problems: Problem[] };
  /** What bringing in a résumé changes; null where the import has none. */
  own: ((resume: Resume) => OwnChange) | null;
  /** The text of the template's database/projects.json. */
  shipped: string;
}

/** Says what an import would do to the records as they are. Changes nothing. */
export async function makePlan(parts: PlanParts): Promise<Plan> {
  const { db, source, options, looked } = parts;
  const { pictures } = looked;
  const stored = await storedPictures(db, pictures);
  const addressOf = (path: string) => stored.get(path)?.src ?? unknownAddress(path);
  const found = await findSamples(db, parts.shipped);
  const wanted = new Set(source.studies.map(({ slug }) => slug));
  const steps: ProjectStep[] = [];
  const going = new Set<number>();
  for (const study of source.studies) {
    const present = await findProject(db, { slug: study.slug });
    const step = planOne(study, present, options, addressOf);
    const isSample = found.some(({ id }) => id === present?.id);
    if (options.withoutSamples && isSample && step.action !== "same" && present !== null) {
      going.add(present.id);
      steps.push(planOne(study, null, options, addressOf));
    } else steps.push(step);
  }
  const samples = options.withoutSamples
    ? found.filter(({ id, slug }) => going.has(id) || !wanted.has(slug))
    : [];
  const { step: resume, problems } = planResume(source, parts.own, options);
  const told = [
    ...looked.problems,
    ...tellConflicts(steps),
    ...tellFilms(source.studies, pictures),
  ];
  return {
    projects: steps,
    samples,
    resume,
    pictures,
    options,
    problems: [...source.problems, ...told, ...problems],
  };
}

/** Whether there is anything to do at all. */
export function isNothing({ projects, samples, resume }: Plan): boolean {
  const isSame = projects.every(({ action }) => action === "same");
  return isSame && samples.length === 0 && (resume === null || resume.action === "same");
}

/** The pictures that what is created or changed shows, each content once. */
export function neededPictures({ projects, pictures }: Plan): PictureFile[] {
  const studies = projects.filter(({ action }) => action === "create" || action === "update");
  return picturesOf(studies.map(({ study }) => study)).flatMap((path) => pictures.get(path) ?? []);
}
