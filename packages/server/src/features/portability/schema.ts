import { z } from "zod";
import { line } from "../../kit/fields.ts";

const uploadId = z
  .string()
  .max(26)
  .regex(/^[0-9A-HJKMNP-TV-Z]{26}$/, "isn't the id of an upload");
const filePath = line(400, { min: 1 });

/** Maximum number of case studies in one import; the importer has the same limit. */
const maxStudies = 2000;

export const importIdBody = z.strictObject({ id: uploadId });
export const importIdQuery = z.object({ id: uploadId });

export const importChoicesBody = z.strictObject({
  id: uploadId,
  /** The selected case studies, by their files. */
  files: z.array(filePath).max(maxStudies),
  /** Whether existing projects are updated. */
  update: z.boolean().default(false),
  /** Whether unchanged sample projects are deleted. */
  withoutSamples: z.boolean().default(false),
  /** Whether a résumé in the folder replaces the site’s. It is published immediately. */
  resume: z.boolean().default(false),
  /** Whether new projects are drafts, regardless of their files. */
  draft: z.boolean().default(true),
});

const study = z.object({
  file: z.string(),
  name: z.string(),
  slug: z.string(),
  /** The images and videos that it shows. */
  media: z.int(),
});

const importReport = z.object({
  generator: z.string(),
  projects: z.array(
    study.extend({
      action: z.enum(["create", "update", "same", "conflict"]),
      status: z.string(),
      changes: z.array(z.string()),
    }),
  ),
  /** Case studies that aren't selected; `doubt` says why they may not be any. */
  proposals: z.array(study.extend({ doubt: z.string().nullable() })),
  skipped: z.array(z.object({ file: z.string(), reason: z.string() })),
  problems: z.array(
    z.object({
      level: z.enum(["error", "warning", "note"]),
      file: z.string(),
      line: z.int().nullable(),
      field: z.string().nullable(),
      message: z.string(),
    }),
  ),
  resume: z
    .object({ action: z.enum(["replace", "same", "conflict"]), file: z.string(), name: z.string() })
    .nullable(),
  otherResume: z.string().nullable(),
  removedSamples: z.array(z.string()),
  media: z.int(),
  possible: z.boolean(),
  applied: z.boolean(),
  isUpToDate: z.boolean(),
  site: z.object({ live: z.boolean(), reason: z.string().nullable() }).nullable(),
});

export const importView = z.object({
  id: z.string(),
  state: z.enum(["planned", "running", "done", "failed"]),
  progress: z.string().nullable(),
  report: importReport,
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type ImportView = z.infer<typeof importView>;
export type ImportChoices = z.infer<typeof importChoicesBody>;
export const discardedImport = z.object({ id: z.string() });
