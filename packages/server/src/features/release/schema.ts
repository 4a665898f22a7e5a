import { z } from "zod";
import { projectCreate } from "../projects/schema.ts";
import { privateFingerprint, privateRefusal } from "./private/schema.ts";

/** The state of the public site compared with the records. */
export const rebuildState = z.object({
  state: z.enum(["idle", "pending", "building", "failed"]),
  /** The reason for the running or, otherwise, the last rebuild. */
  reason: z.string().nullable(),
  requestedAt: z.string().nullable(),
  /** When the last rebuild ended, successfully or not. */
  finishedAt: z.string().nullable(),
  /** Why the last rebuild failed; kept until a later one succeeds. */
  error: z.string().nullable(),
  /** The private text that made the last rebuild fail; null if it failed for another reason. */
  privateTexts: privateRefusal.nullable(),
  /** The live release of the last successful rebuild. */
  release: z.number().int().nullable(),
});

/** `confirmPrivate`: the fingerprint of private text that may go live with this rebuild. */
export const rebuildBody = z.strictObject({ confirmPrivate: privateFingerprint.nullish() });

export type RebuildState = z.infer<typeof rebuildState>;

/**
 * POST /devconsole/preview: a private build that shows one record as if it were published: a stored
 * one, or one that isn't stored, and isn't stored by this.
 */
export const recordPreviewBody = z
  .strictObject({
    projectId: z.number("must be a number").int().min(1).max(2_147_483_647).optional(),
    project: projectCreate.optional(),
  })
  .refine(({ projectId, project }) => (projectId === undefined) !== (project === undefined), {
    message: "say either the project's id or what it would be made of",
    path: ["projectId"],
  });

/** `previewUrl` is the root of the site in the preview, `path` the record's page in it. */
export const recordPreview = z.object({ previewUrl: z.string(), path: z.string() });
