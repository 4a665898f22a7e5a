import { projectFields } from "../../projects/project.ts";
import { slugOf } from "../../projects/slug.ts";
import type { StudyFile } from "../folder/studies.ts";
import type { Problem } from "../problem.ts";
import { type BodyPiece, readBody, type StudyBody } from "./body.ts";
import { type FrontMatter, readFrontMatter } from "./front-matter.ts";
import { convertBody, withoutTitle } from "./body-text.ts";
import { doubtOf, isCalledStudy } from "./entry-type.ts";
import { withFrontMatterText } from "./front-matter-text.ts";
import { readGallery, type StudyImage } from "./gallery.ts";
import { makeFrontMatterReader, type FrontMatterReader } from "./front-matter-reader.ts";
import { type Resolve, readFields, type StudyFields } from "./study-fields.ts";
import { asDate, asOrder, asPlainProse, asText, asTexts, asTime, slugOfAddress } from "./values.ts";

/** A case study as its file tells it. */
export interface Study {
  file: string;
  /** Why it may not be a case study; null if it certainly is one. */
  doubt: string | null;
  /** Whether it is in a collection that may hold something else. */
  isEntry: boolean;
  /** Whether it has front matter. */
  hasFrontMatter: boolean;
  /** Whether its front matter calls it a project. */
  isCalledStudy: boolean;
  slug: string;
  /** What is not among them is not said. */
  fields: StudyFields;
  /** Null if the study says nothing about images. */
  gallery: StudyImage[] | null;
  body: BodyPiece[];
  /** Names that it is known by where it is used, after which images may be called. */
  shortNames: string[];
  /** Its former addresses, by which other texts may still link to it. */
  addresses: string[];
  /** Where it stands among the others; null where it doesn't say. */
  order: number | null;
  /** ISO 8601 or a beginning of it; null where it doesn't say. */
  date: string | null;
  /** Former slugs, which are to lead to it. */
  aliases: string[];
  /** When it was written and last changed, ISO 8601 UTC; null where it doesn't say. */
  created: string | null;
  updated: string | null;
}

/** The doubt of a study that consists of a title. */
export const emptyDoubt = "it has neither its own page nor a text or images";

/** The form in which exports are written: what they leave out is empty, and their text is as it was. */
const exportVersion = 1;

const exportDefaults: Omit<StudyFields, "name"> = {
  status: "published",
  audience: "everyone",
  summary: "",
  lede: "",
  kind: "",
  period: "",
  role: "",
  categories: [],
  stack: [],
  skills: [],
  metrics: [],
  reelUrl: null,
  brief: "",
};

/** The address that the study is to have: as it says, else by its file, in the record's form. */
function readSlug(frontMatter: FrontMatterReader, { stem }: StudyFile): string {
  // Eleventy’s `permalink: false` isn't an address.
  const isAddress = typeof frontMatter.raw("slug") !== "boolean";
  const input = isAddress ? (frontMatter.read("slug", asText)?.trim() ?? "") : "";
  const slug = slugOfAddress(input) ?? "";
  if (slug === "") return slugOf(stem);
  if (projectFields.slug.safeParse(slug).success) return slug;
  const made = slugOf(slug);
  frontMatter.report("slug", `can't be used as an address, so it becomes ${made}`, {
    level: "warning",
  });
  return made;
}

/** What stands before the slug in a project's address here. */
const addressForm = /^(?:\/?projects\/)?([^/]+)\/?$/;

/** The former slugs among former addresses: the site leads on from those of projects. */
function readAliases(frontMatter: FrontMatterReader, slug: string): string[] {
  const input = frontMatter.read("aliases", asTexts) ?? [];
  const slugs = input.flatMap((address) => {
    const alias = addressForm.exec(address.trim())?.[1] ?? "";
    if (projectFields.slug.safeParse(alias).success) return [alias];
    const message = `${address} can't redirect here; only addresses such as /projects/name/ can`;
    frontMatter.report("aliases", message, { level: "warning" });
    return [];
  });
  return [...new Set(slugs)].filter((alias) => alias !== slug);
}

function shortNamesOf(values: FrontMatter["values"]): string[] {
  return ["id", "key", "project", "name", "image", "img"].flatMap((name) => {
    const value = values.get(name);
    return typeof value === "string" && /^[\w -]{2,60}$/.test(value) ? [value] : [];
  });
}

/** Addresses that the study has had on its own site, as far as its front matter says. */
function addressesOf(frontMatter: FrontMatterReader): string[] {
  const given = [frontMatter.raw("slug"), frontMatter.raw("aliases")].flat();
  const texts = given.filter((each) => typeof each === "string");
  return texts.filter((each) => !/[:{*]/.test(each)).slice(0, 50);
}

function isExport(frontMatter: FrontMatterReader): boolean {
  const version = frontMatter.read("version", asOrder);
  if (version === undefined) return false;
  if (version !== exportVersion) {
    frontMatter.report(
      "version",
      `is a format that this version doesn't know; it reads ${exportVersion}`,
    );
  }
  return true;
}

/** A name out of that of a file: harbour-signs becomes Harbour signs. */
function nameOfFile(stem: string): string {
  const words = stem.replace(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function readName(
  frontMatter: FrontMatterReader,
  said: string | undefined,
  { stem }: StudyFile,
): string {
  if (said) return said;
  const name = nameOfFile(stem);
  frontMatter.reportAt(1, `has no title, so it is named ${name} after its file`, "warning");
  return name;
}

/** What is wrong with a part of a study costs that part; an export is taken as it stands or not at all. */
function asWarnings(problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => {
    if (problem.level !== "error") return problem;
    const isLong = /at most \d+ characters, not \d+$/.test(problem.message);
    const result = isLong ? "so it's shortened" : "so it's left out";
    return { ...problem, level: "warning", message: `${problem.message}, ${result}` };
  });
}

export interface ReadStudyOptions {
  /** The images in the folder that is the study's own, by their paths. */
  beside?: readonly string[];
  /** Whether a line of words is a list of them, as Jekyll has it for categories and tags. */
  spacedLists?: boolean;
}

/** What became of a file: a study, or the reason that it is none. */
export interface ReadStudyResult {
  study: Study | null;
  problems: Problem[];
}

/**
 * Reads a case study. Everything that is wrong with it is told, not only the first; what is wrong with
 * a part costs that part. There is no study where the file as a whole can't be read, or where an
 * export has an error.
 */
export function readStudy(
  file: StudyFile,
  text: string,
  resolve: Resolve,
  options: ReadStudyOptions = {},
): ReadStudyResult {
  const front = readFrontMatter(text);
  if ("message" in front) {
    const { line, message } = front;
    const problem: Problem = { level: "error", file: file.path, line, field: null, message };
    return { study: null, problems: [problem] };
  }
  const frontMatter = makeFrontMatterReader(file.path, front);
  const verbatim = isExport(frontMatter);
  const { study, isWhole } = readFromFrontMatter(file, {
    frontMatter,
    front,
    verbatim,
    resolve,
    options,
  });
  const { problems } = frontMatter;
  const hasErrors = problems.some(({ level }) => level === "error");
  if (!isWhole || (verbatim && hasErrors)) return { study: null, problems };
  return { study, problems: verbatim ? problems : asWarnings(problems) };
}

/** Reads a project that a file of data holds, as the front matter of a text without one. */
export function readDataStudy(
  file: StudyFile,
  { values, line }: { values: Map<string, unknown>; line: number },
  resolve: Resolve,
  options: ReadStudyOptions = {},
): ReadStudyResult {
  const front: FrontMatter = { values, lineOf: () => line, body: "", bodyLine: line };
  const frontMatter = makeFrontMatterReader(file.path, front);
  const reading = { frontMatter, front, verbatim: false, resolve, options };
  const { study, isWhole } = readFromFrontMatter(file, reading);
  return { study: isWhole ? study : null, problems: asWarnings(frontMatter.problems) };
}

interface StudyReading {
  frontMatter: FrontMatterReader;
  front: FrontMatter;
  verbatim: boolean;
  resolve: Resolve;
  options: ReadStudyOptions;
}

/** The title in the front matter, as a line without markup; undefined if there is none. */
function readTitle(frontMatter: FrontMatterReader, verbatim: boolean): string | undefined {
  if (!frontMatter.has("name")) return undefined;
  const title = frontMatter.read("name", verbatim ? asText : asPlainProse)?.trim();
  // A separator at the end is for the browser's title, such as "Boats | ".
  return verbatim ? title : title?.replace(/\s+[|–—·-]$/, "").trim();
}

function isBlank({ pieces }: StudyBody, gallery: readonly StudyImage[] | null): boolean {
  return pieces.join("").trim() === "" && (gallery ?? []).length === 0;
}

/** The doubt of a study with nothing but a title, if its generator makes no page of it. */
function pagelessDoubt({ values }: FrontMatter): string | null {
  return values.get("permalink") === false ? emptyDoubt : null;
}

function readFromFrontMatter(
  file: StudyFile,
  { frontMatter, front, verbatim, resolve, options }: StudyReading,
): { study: Study; isWhole: boolean } {
  const converted = verbatim
    ? { ...front, isConverted: false }
    : convertBody(frontMatter, front, file, (address) => "path" in resolve(address));
  const given = readTitle(frontMatter, verbatim);
  if (!verbatim && given) converted.body = withoutTitle(converted.body, given);
  const whole = verbatim ? converted.body : withFrontMatterText(frontMatter, converted.body);
  if (whole !== converted.body) Object.assign(converted, { body: whole, isConverted: true });
  const keepImages = frontMatter.has("gallery");
  const { isConverted } = converted;
  const takeTitle = !given;
  const body = readBody(frontMatter, converted, {
    file: file.path,
    resolve,
    verbatim,
    takeTitle,
    keepImages,
    isConverted,
  });
  const date = frontMatter.read("date", asDate)?.sorted ?? file.date;
  const name = readName(frontMatter, given || body.title, file);
  const { beside = [], spacedLists = false } = options;
  const about = { date, resolve, isDraft: file.isDraft, spacedLists, verbatim };
  const fields = readFields(frontMatter, name, about);
  const { described, shown } = body;
  const fromBody = body.images;
  const gallery = readGallery(frontMatter, {
    resolve,
    fromBody,
    verbatim,
    described,
    shown,
    beside,
  });
  const slug = readSlug(frontMatter, file);
  const isEmpty = fields.summary === undefined && isBlank(body, gallery);
  const doubt = doubtOf(file, front, converted.body) ?? (isEmpty ? pagelessDoubt(front) : null);
  const study: Study = {
    file: file.path,
    doubt: verbatim ? null : doubt,
    hasFrontMatter: front.values.size > 0,
    isCalledStudy: isCalledStudy(front.values),
    isEntry: file.isEntry,
    slug: slug === "project" ? slugOf(name) : slug,
    fields: verbatim ? { ...exportDefaults, ...fields } : fields,
    gallery: verbatim ? (gallery ?? []) : gallery,
    body: body.pieces,
    addresses: addressesOf(frontMatter),
    shortNames: verbatim ? [] : [slug, file.stem, ...shortNamesOf(front.values)],
    order: frontMatter.read("order", asOrder) ?? null,
    date,
    aliases: readAliases(frontMatter, slug),
    created: frontMatter.read("created", asTime) ?? null,
    updated: frontMatter.read("updated", asTime) ?? null,
  };
  return { study, isWhole: fields.name !== undefined && body.isWhole };
}
