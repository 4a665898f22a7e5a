import { z } from "zod";
import { line } from "../../kit/fields.ts";
import { strictShape, projectFields } from "../projects/project.ts";
import { projectRecord } from "../projects/schema.ts";

const id = z.number("must be a number").int().min(1).max(2_147_483_647);

/** The most images and videos that one project is built from. */
export const maxMedia = 60;

/** Something that a written text says and that the owner never did. */
export const flag = z.object({
  /** Which text, such as `summary` or `metrics.0.value`. */
  path: z.string(),
  /** As it stands there. */
  text: z.string(),
  kind: z.enum(["number", "date", "name"]),
});
export type Flag = z.infer<typeof flag>;

/** POST /devconsole/draft: summary, lede and body from a brief. `outline` asks for no model. */
export const draftBody = strictShape({
  name: projectFields.name,
  kind: projectFields.kind.optional(),
  brief: projectFields.brief,
  projectId: id.optional(),
  outline: z.boolean("must be true or false").optional(),
}).refine(({ brief, projectId }) => brief !== "" || projectId !== undefined, {
  message: "say what to write about",
  path: ["brief"],
});
export type DraftBody = z.infer<typeof draftBody>;

export const draft = z.object({
  summary: z.string(),
  lede: z.string(),
  body: z.string(),
  /** Made from the brief's own words, without a model. */
  outline: z.boolean(),
  flags: z.array(flag),
});
export type Draft = z.infer<typeof draft>;

/** POST /devconsole/build-project: a whole record from a brief and stored images, in their order. */
export const buildProjectBody = strictShape({
  name: projectFields.name,
  brief: projectFields.brief.default(""),
  category: line(40, {
    error: "must be text",
    tooLong: "must be at most 40 characters",
  }).optional(),
  media: z
    .array(id, "must be a list")
    .max(maxMedia, `must have at most ${maxMedia} entries`)
    .default([]),
  reelUrl: projectFields.reelUrl.optional(),
  projectId: id.optional(),
  outline: z.boolean("must be true or false").optional(),
}).refine(({ brief, media }) => brief !== "" || media.length > 0, {
  message: "enter a brief or choose images",
  path: ["brief"],
});
export type BuildProjectBody = z.infer<typeof buildProjectBody>;

/** All that an editor of a record can write, but whether and for whom it is shown, and its place. */
export const builtFields = projectRecord.omit({
  id: true,
  status: true,
  audience: true,
  position: true,
  version: true,
  createdAt: true,
  updatedAt: true,
});
export type BuiltFields = z.infer<typeof builtFields>;

export const builtProject = z.object({
  project: builtFields,
  outline: z.boolean(),
  flags: z.array(flag),
  /** What the owner should know of how it was made. */
  notes: z.array(z.string()),
});
export type BuiltProject = z.infer<typeof builtProject>;

/** One step of the work, as the stream's `progress` says it. */
export const designProgress = z.object({
  step: z.enum(["read", "describe", "write", "check", "repair"]),
  title: z.string(),
  done: z.number().int().optional(),
  total: z.number().int().optional(),
});
export type DesignProgress = z.infer<typeof designProgress>;
