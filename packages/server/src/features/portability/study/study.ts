import { projectFields, type ProjectFields } from "../../projects/project.ts";
import { slugOf } from "../../projects/slug.ts";
import type { Resolved } from "../folder/resolve.ts";
import type { StudyFile } from "../folder/studies.ts";
import type { Problem } from "../problem.ts";
import { type BodyPiece, readBody } from "./body.ts";
import { type FrontMatter, readFrontMatter } from "./front-matter.ts";
import { convertBody, withoutTitle } from "./body-text.ts";
import { doubtOf, isCalledStudy } from "./entry-type.ts";
import { take } from "./field-bounds.ts";
import { withFrontMatterText } from "./front-matter-text.ts";
import { readGallery, type StudyImage } from "./gallery.ts";
import { readPeriod } from "./period.ts";
import { makeFrontMatterReader, type FrontMatterReader } from "./front-matter-reader.ts";
import {
  asBoolean,
  asDate,
  asMetrics,
  asOrder,
  asProse,
  asSkills,
  asText,
  asTexts,
  asTime,
  isInvalid,
  slugOfAddress,
} from "./values.ts";

/** What a study says of a project, but for its text and pictures. */
export type StudyFields = Partial<
  Omit<ProjectFields, "slug" | "name" | "body" | "gallery" | "position">
> & { name: string };

/** A case study as its file tells it. */
export interface Study {
  file: string;
  /** Why it may be none; null where it surely is one. */
  doubt: string | null;
  /** Whether it is in a collection that may hold something else. */
  isEntry: boolean;
  /** Whether its front matter calls it a project. */
  isCalledStudy: boolean;
  slug: string;
  /** What is not among them is not said. */
  fields: StudyFields;
  /** Null where the study says nothing of pictures. */
  gallery: StudyImage[] | null;
  body: BodyPiece[];
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

/** Finds what an address in a file of this study leads to. */
export type Resolve = (address: string) => Resolved;

/** The form in which exports are written: what they leave out is empty, and their text is as it was. */
const exportVersion = 1;

const statusSynonyms: Readonly<Record<string, ProjectFields["status"]>> = {
  draft: "draft",
  private: "draft",
  pending: "draft",
  future: "draft",
  hidden: "draft",
  unlisted: "draft",
  unpublished: "draft",
  wip: "draft",
  published: "published",
  publish: "published",
  public: "published",
  live: "published",
  archived: "archived",
  archive: "archived",
};

function readStatus(frontMatter: FrontMatterReader): ProjectFields["status"] | undefined {
  const word = frontMatter.read("status", asText)?.trim().toLowerCase();
  const status = word === undefined ? undefined : statusSynonyms[word];
  if (word !== undefined && word !== "" && status === undefined) {
    frontMatter.report("status", "is none of draft, published, archived: left out", {
      level: "warning",
    });
  }
  // A day says when it was published.
  const published = frontMatter.has("published")
    ? frontMatter.read("published", (value) =>
        isInvalid(asDate(value)) ? asBoolean(value) : { value: true },
      )
    : undefined;
  const draft = frontMatter.has("draft") ? frontMatter.read("draft", asBoolean) : false;
  // What can't be understood may have been meant to keep it from visitors.
  if (draft !== false || published === false) return "draft";
  const isUnclear = frontMatter.has("published") && published === undefined;
  if (isUnclear) return "draft";
  return status ?? (published === true || frontMatter.has("draft") ? "published" : undefined);
}

function readRole(frontMatter: FrontMatterReader): string | undefined {
  const parts = [frontMatter.read("role", asText), frontMatter.read("client", asText)];
  const texts = parts.filter((part) => part !== undefined && part.trim() !== "");
  return frontMatter.has("role") || frontMatter.has("client") ? texts.join(" · ") : undefined;
}

/** What generators sort entries by, and no visitor would look for. */
const collectionNames = /^(?:all|posts?|projects?|portfolio|works?|nav|pages?|featured)$/i;

/** Categories and tags; each once where both are said. */
function readCategories(
  frontMatter: FrontMatterReader,
  spacedLists: boolean,
): string[] | undefined {
  const input = (["categories", "tags"] as const).map((meaning) => {
    const isSpaced = spacedLists && /^(?:categories|tags)$/.test(frontMatter.nameOf(meaning) ?? "");
    const read = (value: unknown) =>
      isSpaced && typeof value === "string" && !value.includes(",")
        ? { value: value.split(/\s+/).filter((word) => word !== "") }
        : asTexts(value);
    return frontMatter.read(meaning, read)?.filter((name) => !collectionNames.test(name.trim()));
  });
  const [categories, tags] = input;
  if (categories === undefined || tags === undefined) return categories ?? tags;
  const byName = new Map<string, string>();
  for (const name of input.flatMap((list) => list ?? [])) {
    if (name.trim() !== "" && !byName.has(name.toLowerCase())) byName.set(name.toLowerCase(), name);
  }
  return [...byName.values()];
}

function readReel(frontMatter: FrontMatterReader, resolve: Resolve): string | null | undefined {
  const address = frontMatter.read("reel", asText);
  if (address === undefined) return undefined;
  if (address.trim() === "") return null;
  if ("path" in resolve(address)) return undefined;
  if (projectFields.reelUrl.safeParse(address).success) return address;
  const message = "is neither a film in the folder nor an Instagram reel: left out";
  frontMatter.report("reel", message, { level: "warning" });
  return undefined;
}

function readFields(
  frontMatter: FrontMatterReader,
  name: string,
  about: { date: string | null; resolve: Resolve; isDraft: boolean; spacedLists: boolean },
) {
  const fields: Record<string, unknown> = {};
  take(frontMatter, fields, "name", name);
  for (const field of ["summary", "lede", "kind", "brief"] as const) {
    take(frontMatter, fields, field, frontMatter.read(field, asProse));
  }
  const audience = frontMatter.read("audience", asText)?.trim().toLowerCase();
  take(frontMatter, fields, "audience", audience);
  // Whom it was for is unclear: nobody but the owner sees it until that is said.
  const isUnclear = frontMatter.has("audience") && audience !== fields["audience"];
  take(
    frontMatter,
    fields,
    "status",
    about.isDraft || isUnclear ? "draft" : readStatus(frontMatter),
  );
  take(frontMatter, fields, "period", readPeriod(frontMatter, about.date));
  take(frontMatter, fields, "role", readRole(frontMatter));
  take(frontMatter, fields, "categories", readCategories(frontMatter, about.spacedLists));
  take(frontMatter, fields, "stack", frontMatter.read("stack", asTexts));
  take(frontMatter, fields, "skills", frontMatter.read("skills", asSkills));
  take(frontMatter, fields, "metrics", frontMatter.read("metrics", asMetrics));
  take(frontMatter, fields, "reelUrl", readReel(frontMatter, about.resolve));
  return fields as StudyFields;
}

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
  const input = frontMatter.read("slug", asText)?.trim() ?? "";
  const slug = slugOfAddress(input) ?? "";
  if (slug === "") return slugOf(stem);
  if (projectFields.slug.safeParse(slug).success) return slug;
  const made = slugOf(slug);
  frontMatter.report("slug", `can't be an address as it is: ${made} is taken`, {
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
    const message = `${address} can't lead here: only addresses such as /projects/name/ can`;
    frontMatter.report("aliases", message, { level: "warning" });
    return [];
  });
  return [...new Set(slugs)].filter((alias) => alias !== slug);
}

function isExport(frontMatter: FrontMatterReader): boolean {
  const version = frontMatter.read("version", asOrder);
  if (version === undefined) return false;
  if (version !== exportVersion) {
    frontMatter.report(
      "version",
      `is a form that this version does not know: it reads ${exportVersion}`,
    );
  }
  return true;
}

/** A name out of that of a file: harbour-signs becomes Harbour signs. */
function nameOfFile(stem: string): string {
  const words = stem.replace(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is wrong with a part of a study costs that part; an export is taken as it stands or not at all. */
function asWarnings(problems: readonly Problem[]): Problem[] {
  return problems.map((problem) =>
    problem.level === "error"
      ? { ...problem, level: "warning", message: `${problem.message}: left out` }
      : problem,
  );
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

interface StudyReading {
  frontMatter: FrontMatterReader;
  front: FrontMatter;
  verbatim: boolean;
  resolve: Resolve;
  options: ReadStudyOptions;
}

function readFromFrontMatter(
  file: StudyFile,
  { frontMatter, front, verbatim, resolve, options }: StudyReading,
): { study: Study; isWhole: boolean } {
  const isNamed = frontMatter.has("name");
  const converted = verbatim
    ? { ...front, isConverted: false }
    : convertBody(frontMatter, front, file);
  const given = isNamed ? frontMatter.read("name", asText)?.trim() : undefined;
  if (!verbatim && given) converted.body = withoutTitle(converted.body, given);
  const whole = verbatim ? converted.body : withFrontMatterText(frontMatter, converted.body);
  if (whole !== converted.body) Object.assign(converted, { body: whole, isConverted: true });
  const keepImages = frontMatter.has("gallery");
  const { isConverted } = converted;
  const takeTitle = !given;
  const body = readBody(frontMatter, converted, {
    resolve,
    verbatim,
    takeTitle,
    keepImages,
    isConverted,
  });
  const date = frontMatter.has("date")
    ? (frontMatter.read("date", asDate)?.sorted ?? file.date)
    : file.date;
  const name = given || body.title || nameOfFile(file.stem);
  if (!given && !body.title) {
    const message = `has no title, so it is named ${name} after its file`;
    frontMatter.reportAt(1, message, "warning");
  }
  const { beside = [], spacedLists = false } = options;
  const about = { date, resolve, isDraft: file.isDraft, spacedLists };
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
  const study: Study = {
    file: file.path,
    doubt: verbatim ? null : doubtOf(file, front, converted.body),
    isCalledStudy: isCalledStudy(front.values),
    isEntry: file.isEntry,
    slug: slug === "project" ? slugOf(name) : slug,
    fields: verbatim ? { ...exportDefaults, ...fields } : fields,
    gallery: verbatim ? (gallery ?? []) : gallery,
    body: body.pieces,
    order: frontMatter.read("order", asOrder) ?? null,
    date,
    aliases: readAliases(frontMatter, slug),
    created: frontMatter.read("created", asTime) ?? null,
    updated: frontMatter.read("updated", asTime) ?? null,
  };
  return { study, isWhole: fields.name !== undefined && body.isWhole };
}
