import { projectFields, type ProjectFields } from "../../projects/project.ts";
import { slugOf } from "../../projects/slug.ts";
import type { Resolved } from "../folder/resolve.ts";
import type { StudyFile } from "../folder/studies.ts";
import type { Problem } from "../problem.ts";
import { type BodyPiece, readBody } from "./body.ts";
import { readFrontMatter } from "./front-matter.ts";
import { readGallery, type StudyPicture } from "./gallery.ts";
import { readPeriod } from "./period.ts";
import { readSaid, type Said } from "./said.ts";
import {
  asBoolean,
  asDate,
  asMetrics,
  asOrder,
  asSkills,
  asText,
  asTexts,
  asTime,
  isWrong,
  slugOfAddress,
} from "./values.ts";

/** What a study says of a project, but for its text and pictures. */
export type StudyFields = Partial<
  Omit<ProjectFields, "slug" | "name" | "body" | "gallery" | "position">
> & { name: string };

/** A case study as its file tells it. */
export interface Study {
  file: string;
  slug: string;
  /** What is not among them is not said. */
  fields: StudyFields;
  /** Null where the study says nothing of pictures. */
  gallery: StudyPicture[] | null;
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

type Field = keyof StudyFields;

/** Takes a field over if it is within the bounds of the record. */
function take(said: Said, fields: Record<string, unknown>, field: Field, value: unknown): void {
  if (value === undefined) return;
  const result = projectFields[field].safeParse(value);
  if (result.success) {
    fields[field] = result.data;
    return;
  }
  for (const { path, message } of result.error.issues) {
    const long =
      typeof value === "string" && /at most/.test(message) ? `, not ${value.length}` : "";
    said.tell(field as Parameters<Said["tell"]>[0], message + long, {
      inside: path as (string | number)[],
    });
  }
}

const statusWords: Readonly<Record<string, ProjectFields["status"]>> = {
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

function readStatus(said: Said): ProjectFields["status"] | undefined {
  const word = said.read("status", asText)?.trim().toLowerCase();
  const known = word === undefined ? undefined : statusWords[word];
  if (word !== undefined && word !== "" && known === undefined) {
    said.tell("status", "is none of draft, published, archived: left out", { level: "warning" });
  }
  // A day says when it was published.
  const published = said.has("published")
    ? said.read("published", (value) =>
        isWrong(asDate(value)) ? asBoolean(value) : { value: true },
      )
    : undefined;
  if (said.read("draft", asBoolean) === true || published === false) return "draft";
  return known ?? (published === true || said.has("draft") ? "published" : undefined);
}

function readRole(said: Said): string | undefined {
  const parts = [said.read("role", asText), said.read("client", asText)];
  const words = parts.filter((part) => part !== undefined && part.trim() !== "");
  return said.has("role") || said.has("client") ? words.join(" · ") : undefined;
}

/** Categories and tags; each once where both are said. */
function readCategories(said: Said): string[] | undefined {
  const given = [said.read("categories", asTexts), said.read("tags", asTexts)];
  const [categories, tags] = given;
  if (categories === undefined || tags === undefined) return categories ?? tags;
  const byName = new Map<string, string>();
  for (const name of given.flatMap((list) => list ?? [])) {
    if (name.trim() !== "" && !byName.has(name.toLowerCase())) byName.set(name.toLowerCase(), name);
  }
  return [...byName.values()];
}

function readReel(said: Said, resolve: Resolve): string | null | undefined {
  const address = said.read("reel", asText);
  if (address === undefined) return undefined;
  if (address.trim() === "") return null;
  if ("path" in resolve(address)) return undefined;
  if (projectFields.reelUrl.safeParse(address).success) return address;
  const message = "is neither a film in the folder nor an Instagram reel: left out";
  said.tell("reel", message, { level: "warning" });
  return undefined;
}

function readFields(said: Said, name: string, about: { date: string | null; resolve: Resolve }) {
  const fields: Record<string, unknown> = {};
  take(said, fields, "name", name);
  for (const field of ["summary", "lede", "kind", "brief"] as const) {
    take(said, fields, field, said.read(field, asText));
  }
  take(said, fields, "audience", said.read("audience", asText)?.trim().toLowerCase());
  take(said, fields, "status", readStatus(said));
  take(said, fields, "period", readPeriod(said, about.date));
  take(said, fields, "role", readRole(said));
  take(said, fields, "categories", readCategories(said));
  take(said, fields, "stack", said.read("stack", asTexts));
  take(said, fields, "skills", said.read("skills", asSkills));
  take(said, fields, "metrics", said.read("metrics", asMetrics));
  take(said, fields, "reelUrl", readReel(said, about.resolve));
  return fields as StudyFields;
}

const nothingSaid: Omit<StudyFields, "name"> = {
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
function readSlug(said: Said, { stem }: StudyFile): string {
  const given = said.read("slug", asText)?.trim() ?? "";
  const slug = slugOfAddress(given) ?? "";
  if (slug === "") return slugOf(stem);
  if (projectFields.slug.safeParse(slug).success) return slug;
  const made = slugOf(slug);
  said.tell("slug", `can't be an address as it is: ${made} is taken`, { level: "warning" });
  return made;
}

/** What stands before the slug in a project's address here. */
const addressForm = /^(?:\/?projects\/)?([^/]+)\/?$/;

/** The former slugs among former addresses: the site leads on from those of projects. */
function readAliases(said: Said, slug: string): string[] {
  const given = said.read("aliases", asTexts) ?? [];
  const slugs = given.flatMap((address) => {
    const alias = addressForm.exec(address.trim())?.[1] ?? "";
    if (projectFields.slug.safeParse(alias).success) return [alias];
    const message = `${address} can't lead here: only addresses such as /projects/name/ can`;
    said.tell("aliases", message, { level: "warning" });
    return [];
  });
  return [...new Set(slugs)].filter((alias) => alias !== slug);
}

function isExport(said: Said): boolean {
  const version = said.read("version", asOrder);
  if (version === undefined) return false;
  if (version !== exportVersion) {
    said.tell("version", `is a form that this version does not know: it reads ${exportVersion}`);
  }
  return true;
}

/**
 * Reads a case study. Everything that is wrong with it is told, not only the first; there is no study
 * where that is more than a part of it.
 */
export function readStudy(
  file: StudyFile,
  text: string,
  resolve: Resolve,
): { study: Study | null; problems: Problem[] } {
  const front = readFrontMatter(text);
  if ("message" in front) {
    const { line, message } = front;
    const problem: Problem = { level: "error", file: file.path, line, field: null, message };
    return { study: null, problems: [problem] };
  }
  const said = readSaid(file.path, front);
  const verbatim = isExport(said);
  const isNamed = said.has("name");
  const options = { resolve, verbatim, takeTitle: !isNamed, keepPictures: said.has("gallery") };
  const body = readBody(said, front, options);
  const date = said.has("date") ? (said.read("date", asDate)?.sorted ?? null) : file.date;
  const name = isNamed ? said.read("name", asText) : body.title;
  if (name === undefined) {
    if (!isNamed) said.tellAt(1, "has no title, neither in the front matter nor as a heading");
    return { study: null, problems: said.problems };
  }
  const fields = readFields(said, name, { date, resolve });
  const { described } = body;
  const gallery = readGallery(said, { resolve, fromBody: body.pictures, verbatim, described });
  const slug = readSlug(said, file);
  const study: Study = {
    file: file.path,
    slug,
    fields: verbatim ? { ...nothingSaid, ...fields } : fields,
    gallery: verbatim ? (gallery ?? []) : gallery,
    body: body.pieces,
    order: said.read("order", asOrder) ?? null,
    date,
    aliases: readAliases(said, slug),
    created: said.read("created", asTime) ?? null,
    updated: said.read("updated", asTime) ?? null,
  };
  return { study, problems: said.problems };
}
