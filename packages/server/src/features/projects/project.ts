import { z } from "zod";
import * as fields from "../../kit/fields.ts";

/** The message for a missing or wrongly typed value. */
function expected(what: string) {
  return {
    error: (issue: { input?: unknown }) => (issue.input === undefined ? "is required" : what),
  };
}

function rules(max: number) {
  return { ...expected("must be text"), tooLong: `must be at most ${max} characters` };
}

function line(max: number) {
  return fields.line(max, rules(max));
}

function paragraphs(max: number) {
  return fields.paragraphs(max, rules(max));
}

/** A letter, digit, mark, or symbol, as opposed to only spaces, joiners, and direction marks. */
const seen = /[\p{L}\p{N}\p{P}\p{S}]/u;

function requiredLine(max: number) {
  return line(max).min(1, "can't be empty").regex(seen, "can't be empty");
}

function list<Item extends z.ZodType>(item: Item, max: number) {
  return z
    .array(item, expected("must be a list"))
    .max(max, `must have at most ${max} ${max === 1 ? "entry" : "entries"}`);
}

/** An object without other keys; the error names each extra one. */
export function strictShape<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? "is unknown"
        : expected("must be an object").error(issue),
  });
}

/** The format of a stored media file's address. */
export const mediaSrc = z
  .string(expected("must be text"))
  .max(200, "must be at most 200 characters")
  .regex(/^\/media\/\d{4}\/[a-z0-9][a-z0-9-]*\.[a-z0-9]+$/, "must be the address of a stored file");

/** Maximum length of a slug, in characters. */
export const slugLength = 80;

export const projectSlug = z
  .string(expected("must be text"))
  .min(1, "can't be empty")
  .max(slugLength, `must be at most ${slugLength} characters`)
  .regex(
    /^[a-z0-9]+(-[a-z0-9]+)*$/,
    "must be lowercase letters and digits with single hyphens between them",
  );

export const projectStatus = z.enum(
  ["draft", "published", "archived"],
  expected("must be draft, published or archived"),
);
export type ProjectStatus = z.infer<typeof projectStatus>;

/** Who can see a project: everyone, users with an account, or invited people. */
export const projectAudience = z.enum(
  ["everyone", "members", "invited"],
  expected("must be everyone, members or invited"),
);
export type ProjectAudience = z.infer<typeof projectAudience>;

const reel =
  /^https:\/\/(www\.)?instagram\.com\/(reel|p)\/[A-Za-z0-9_-]{1,100}\/?(\?[\w.~%=&+-]*)?$/;

const reelUrl = line(300).regex(
  reel,
  "must be an address like https://www.instagram.com/reel/… or /p/…",
);

const skill = strictShape({ group: requiredLine(60), items: list(requiredLine(40), 24) });
const metric = strictShape({
  value: requiredLine(24),
  label: requiredLine(60),
  note: line(160).exactOptional(),
});
const galleryItem = strictShape({
  src: mediaSrc,
  caption: line(300).default(""),
  alt: line(300).exactOptional(),
  /** It is decorative here: its alt text is empty on purpose. */
  isDecorative: z.literal(true, "must be true").exactOptional(),
});

/** The fields of a project that the owner edits, with their limits. */
export const projectFields = {
  slug: projectSlug,
  name: requiredLine(120),
  status: projectStatus,
  audience: projectAudience,
  summary: line(280),
  lede: paragraphs(600),
  /** Markdown. */
  body: paragraphs(50_000),
  kind: line(60),
  period: line(60),
  role: line(120),
  categories: list(requiredLine(40), 12),
  stack: list(requiredLine(40), 40),
  skills: list(skill, 12),
  metrics: list(metric, 8),
  /** In order; the first one is the cover. */
  gallery: list(galleryItem, 60),
  reelUrl: reelUrl.nullable(),
  /** Instructions for the Web Designer: private, never on the site. */
  brief: paragraphs(8000),
};

/** A complete project; missing fields are empty. */
export const projectSchema = strictShape({
  ...projectFields,
  position: z.number().int().min(0).max(2_147_483_647),
  audience: projectFields.audience.default("everyone"),
  summary: projectFields.summary.default(""),
  lede: projectFields.lede.default(""),
  body: projectFields.body.default(""),
  kind: projectFields.kind.default(""),
  period: projectFields.period.default(""),
  role: projectFields.role.default(""),
  categories: projectFields.categories.default([]),
  stack: projectFields.stack.default([]),
  skills: projectFields.skills.default([]),
  metrics: projectFields.metrics.default([]),
  gallery: projectFields.gallery.default([]),
  reelUrl: projectFields.reelUrl.default(null),
  brief: projectFields.brief.default(""),
});

/** The stored fields of a project. */
export type ProjectFields = z.infer<typeof projectSchema>;

/**
 * A stored project as its page may show it: without the brief, which only the owner and the Web
 * Designer see. Times are ISO 8601 UTC; `version` grows by one with each save.
 */
export interface Project extends Omit<ProjectFields, "brief"> {
  id: number;
  version: number;
  createdAt: string;
  updatedAt: string;
}

/** A stored project with everything that its owner sees. */
export type ProjectWithBrief = Project & Pick<ProjectFields, "brief">;
