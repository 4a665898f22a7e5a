import { z } from "zod";
import { code, paragraphs } from "../../kit/fields.ts";

export const contentPage = z.object({
  /** Its content file; for a page without one, its source. */
  file: z.string(),
  hasContent: z.boolean(),
  /** Its address on the site; null for content without its own page. */
  path: z.string().nullable(),
  title: z.string(),
  description: z.string(),
  /** Whether the file is a JSON object small enough for a form. */
  isReadable: z.boolean(),
  isHidden: z.boolean(),
  /** Whether the page's source supports hiding the page. */
  canHide: z.boolean(),
  /** Why it can't be deleted; null if it can. */
  undeletableReason: z.string().nullable(),
});
export type ContentPage = z.infer<typeof contentPage>;

export const pageList = z.object({
  pages: z.array(contentPage),
  /**
   * The file with share images, and the projects that can have one; null if the site doesn't use
   * share images.
   */
  share: z
    .object({
      file: z.string(),
      projects: z.array(z.object({ path: z.string(), name: z.string() })),
    })
    .nullable(),
  /** The newest run of page changes that is active or has a preview; null if there is none. */
  runId: z.string().nullable(),
});
export type PageList = z.infer<typeof pageList>;

export const pageQuery = z.strictObject({ file: code(200) });

export const pageForm = z.object({
  file: z.string(),
  /** The hash of the file's text that the form was made from. */
  hash: z.string(),
  /** The file's content. */
  content: z.record(z.string(), z.unknown()),
  /**
   * The content of the template's file, which shows what an empty list can contain; null if there
   * is none.
   */
  sample: z.record(z.string(), z.unknown()).nullable(),
});
export type PageForm = z.infer<typeof pageForm>;

const pageChange = z.strictObject({
  file: code(200),
  hash: code(64),
  /** The new values of the file's fields that change, as the JSON text of an object. */
  values: paragraphs(60_000),
});
const pageDeletion = z.strictObject({ file: code(200), hash: code(64) });
export const pagesBody = z
  .strictObject({
    changes: z.array(pageChange).max(20).default([]),
    /** Pages to delete, by their content files, or by their sources if they have none. */
    deletions: z.array(pageDeletion).max(20).default([]),
  })
  .refine(({ changes, deletions }) => changes.length + deletions.length > 0, {
    message: "must name a page to change or to delete",
    path: ["changes"],
  });
export type PagesBody = z.input<typeof pagesBody>;

/** What deleting a page would remove and change, with paths in the site's content. */
export const deletionPlan = z.object({
  file: z.string(),
  hash: z.string(),
  path: z.string(),
  /** Files that are deleted. */
  removed: z.array(z.string()),
  /**
   * The content file if it only loses its texts because other sources read it, and those sources.
   */
  emptied: z.object({ file: z.string(), readBy: z.array(z.string()) }).nullable(),
  /** Content files that lose links to the page. */
  unlinked: z.array(z.string()),
  /** What still mentions the page's address and has to be changed manually. */
  remaining: z.array(z.string()),
});
export type DeletionPlan = z.infer<typeof deletionPlan>;

export interface PageChange {
  file: string;
  hash: string;
  values: Record<string, unknown>;
}
export interface PageDeletion {
  file: string;
  hash: string;
}
export interface PagesInput {
  changes: PageChange[];
  /** Missing if an earlier version stored the form. */
  deletions?: PageDeletion[];
}
export const pagesStarted = z.object({ runId: z.string() });
