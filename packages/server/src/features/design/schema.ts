import { z } from "zod";
import { line } from "../../kit/fields.ts";
import { strictShape, projectFields } from "../projects/project.ts";
import { projectRecord } from "../projects/schema.ts";

const id = z.number("must be a number").int().min(1).max(2_147_483_647);

/** Maximum images and videos for one project. */
export const maxMedia = 60;

/** A claim in a written text that the owner never made. */
export const flag = z.object({
  /** Which text, such as `summary` or `metrics.0.value`. */
  path: z.string(),
  /** As in the text. */
  text: z.string(),
  kind: z.enum(["number", "date", "name"]),
});
export type Flag = z.infer<typeof flag>;

/** POST /devconsole/draft: summary, lede, and body from a brief. `outline` uses no model. */
export const draftBody = strictShape({
  name: projectFields.name,
  kind: projectFields.kind.optional(),
  brief: projectFields.brief,
  projectId: id.optional(),
  outline: z.boolean("must be true or false").optional(),
}).refine(({ brief, projectId }) => brief !== "" || projectId !== undefined, {
  message: "add a few words or images to write about",
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

/** Everything in the editor of a record except status, audience, and position. */
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
  /** What the owner should know about how it was made. */
  notes: z.array(z.string()),
});
export type BuiltProject = z.infer<typeof builtProject>;

/** A step of the work, as in the stream's `progress`. */
export const designProgress = z.object({
  step: z.enum(["read", "describe", "write", "check", "repair"]),
  title: z.string(),
  done: z.number().int().optional(),
  total: z.number().int().optional(),
});
export type DesignProgress = z.infer<typeof designProgress>;
