import { projectFields, type ProjectFields } from "../../projects/project.ts";
import { slugOf } from "../../projects/slug.ts";
import type { Resolved } from "../folder/resolve.ts";
import type { StudyFile } from "../folder/studies.ts";
import type { Problem } from "../problem.ts";
import { type BodyPiece, readBody } from "./body.ts";
import { readFrontMatter } from "./front-matter.ts";
import { readGallery, type StudyImage } from "./gallery.ts";
import { readPeriod } from "./period.ts";
import { makeFrontMatterReader, type FrontMatterReader } from "./front-matter-reader.ts";
import {
  asBoolean,
  asDate,
  asMetrics,
  asOrder,
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

type Field = keyof StudyFields;

/** Takes a field over if it is within the bounds of the record. */
function take(
  frontMatter: FrontMatterReader,
  fields: Record<string, unknown>,
  field: Field,
  value: unknown,
): void {
  if (value === undefined) return;
  const result = projectFields[field].safeParse(value);
  if (result.success) {
    fields[field] = result.data;
    return;
  }
  for (const { path, message } of result.error.issues) {
    const long =
      typeof value === "string" && /at most/.test(message) ? `, not ${value.length}` : "";
    frontMatter.report(field as Parameters<FrontMatterReader["report"]>[0], message + long, {
      inside: path as (string | number)[],
    });
  }
}

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
  if (frontMatter.read("draft", asBoolean) === true || published === false) return "draft";
  return status ?? (published === true || frontMatter.has("draft") ? "published" : undefined);
}

function readRole(frontMatter: FrontMatterReader): string | undefined {
  const parts = [frontMatter.read("role", asText), frontMatter.read("client", asText)];
  const texts = parts.filter((part) => part !== undefined && part.trim() !== "");
  return frontMatter.has("role") || frontMatter.has("client") ? texts.join(" · ") : undefined;
}

/** Categories and tags; each once where both are said. */
function readCategories(frontMatter: FrontMatterReader): string[] | undefined {
  const input = [frontMatter.read("categories", asTexts), frontMatter.read("tags", asTexts)];
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
  about: { date: string | null; resolve: Resolve },
) {
  const fields: Record<string, unknown> = {};
  take(frontMatter, fields, "name", name);
  for (const field of ["summary", "lede", "kind", "brief"] as const) {
    take(frontMatter, fields, field, frontMatter.read(field, asText));
  }
  take(frontMatter, fields, "audience", frontMatter.read("audience", asText)?.trim().toLowerCase());
  take(frontMatter, fields, "status", readStatus(frontMatter));
  take(frontMatter, fields, "period", readPeriod(frontMatter, about.date));
  take(frontMatter, fields, "role", readRole(frontMatter));
  take(frontMatter, fields, "categories", readCategories(frontMatter));
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
  const frontMatter = makeFrontMatterReader(file.path, front);
  const verbatim = isExport(frontMatter);
  const isNamed = frontMatter.has("name");
  const options = {
    resolve,
    verbatim,
    takeTitle: !isNamed,
    keepImages: frontMatter.has("gallery"),
  };
  const body = readBody(frontMatter, front, options);
  const date = frontMatter.has("date")
    ? (frontMatter.read("date", asDate)?.sorted ?? null)
    : file.date;
  const name = isNamed ? frontMatter.read("name", asText) : body.title;
  if (name === undefined) {
    if (!isNamed)
      frontMatter.reportAt(1, "has no title, neither in the front matter nor as a heading");
    return { study: null, problems: frontMatter.problems };
  }
  const fields = readFields(frontMatter, name, { date, resolve });
  const { described } = body;
  const gallery = readGallery(frontMatter, { resolve, fromBody: body.images, verbatim, described });
  const slug = readSlug(frontMatter, file);
  const study: Study = {
    file: file.path,
    slug,
    fields: verbatim ? { ...exportDefaults, ...fields } : fields,
    gallery: verbatim ? (gallery ?? []) : gallery,
    body: body.pieces,
    order: frontMatter.read("order", asOrder) ?? null,
    date,
    aliases: readAliases(frontMatter, slug),
    created: frontMatter.read("created", asTime) ?? null,
    updated: frontMatter.read("updated", asTime) ?? null,
  };
  return { study, problems: frontMatter.problems };
}
