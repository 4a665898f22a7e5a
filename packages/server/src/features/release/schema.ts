import { z } from "zod";
import { projectCreate } from "../projects/schema.ts";
import { privateFingerprint, privateRefusal } from "./private/schema.ts";

/** How the public site follows the records. */
export const rebuildState = z.object({
  state: z.enum(["idle", "pending", "building", "failed"]),
  /** Why the rebuild under way, or else the last one, was asked for. */
  reason: z.string().nullable(),
  requestedAt: z.string().nullable(),
  /** When the last rebuild ended, however it did. */
  finishedAt: z.string().nullable(),
  /** Why the last rebuild failed; it stays until a later one succeeds. */
  error: z.string().nullable(),
  /** The private text that the last rebuild failed for; null where it was something else. */
  privateTexts: privateRefusal.nullable(),
  /** The release that the last successful rebuild left current. */
  release: z.number().int().nullable(),
});

/** `confirmPrivate`: the fingerprint of private text that may go live with this rebuild. */
export const rebuildBody = z.strictObject({ confirmPrivate: privateFingerprint.nullish() });

export type RebuildState = z.infer<typeof rebuildState>;

/**
 * POST /devconsole/preview: a private build in which one record stands as if it were published: a
 * stored one, or one that is not stored yet and is not stored by this.
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

/** `previewUrl` is where the site begins in the preview, `path` the record's page in that site. */
export const recordPreview = z.object({ previewUrl: z.string(), path: z.string() });
