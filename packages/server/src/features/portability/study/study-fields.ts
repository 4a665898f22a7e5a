import { projectFields, type ProjectFields } from "../../projects/project.ts";
import type { Resolved } from "../folder/resolve.ts";
import { take } from "./field-bounds.ts";
import type { FrontMatterReader } from "./front-matter-reader.ts";
import { readPeriod } from "./period.ts";
import {
  asBoolean,
  asDate,
  asMetrics,
  asPlainProse,
  asProse,
  asSkills,
  asText,
  asTexts,
  isInvalid,
  type ParsedValue,
} from "./values.ts";

/** What a study says of a project, but for its text and pictures. */
export type StudyFields = Partial<
  Omit<ProjectFields, "slug" | "name" | "body" | "gallery" | "position">
> & { name: string };

/** Finds what an address in a file of this study leads to. */
export type Resolve = (address: string) => Resolved;

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
    frontMatter.report("status", "isn't draft, published or archived, so it's left out", {
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
  const archived = frontMatter.has("archived") && frontMatter.read("archived", asBoolean);
  // What can't be understood may have been meant to keep it from visitors.
  if (draft !== false || published === false) return "draft";
  const isUnclear = frontMatter.has("published") && published === undefined;
  if (isUnclear) return "draft";
  if (archived === true && status !== "draft") return "archived";
  return status ?? (published === true || frontMatter.has("draft") ? "published" : undefined);
}

/** A text, or the name in a map such as {name: "Acme", size: 50}. */
function asName(value: unknown): ParsedValue<string> {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  return asText(isMap ? ((value as Record<string, unknown>)["name"] ?? value) : value);
}

function readRole(frontMatter: FrontMatterReader): string | undefined {
  const parts = [frontMatter.read("role", asName), frontMatter.read("client", asName)];
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
  const message = "is neither a video in the folder nor an Instagram reel, so it's left out";
  frontMatter.report("reel", message, { level: "warning" });
  return undefined;
}

/** What the front matter says of each field; what is beyond the record's bounds is told. */
export function readFields(
  frontMatter: FrontMatterReader,
  name: string,
  about: {
    date: string | null;
    resolve: Resolve;
    isDraft: boolean;
    spacedLists: boolean;
    verbatim: boolean;
  },
) {
  const fields: Record<string, unknown> = {};
  take(frontMatter, fields, "name", name);
  for (const field of ["summary", "lede", "kind", "brief"] as const) {
    const read = field === "brief" ? asProse : asPlainProse;
    const text = frontMatter.read(field, about.verbatim ? asText : read);
    const isLine = field === "summary" || field === "kind";
    take(frontMatter, fields, field, isLine ? text?.replace(/[ \t]*\n\s*/g, " ") : text);
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
