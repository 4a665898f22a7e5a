import { z } from "zod";
import { code, paragraphs } from "../../kit/fields.ts";

export const contentPage = z.object({
  file: z.string(),
  /** Its address on the site; null for content that no page of its own shows. */
  path: z.string().nullable(),
  title: z.string(),
  description: z.string(),
  /** Whether the file is a JSON object of a size that a form can show. */
  isReadable: z.boolean(),
  isHidden: z.boolean(),
  /** Whether the page's source leaves it out where the site's content hides it. */
  canHide: z.boolean(),
  /** Why it can't be deleted; null where it can. */
  undeletableReason: z.string().nullable(),
});
export type ContentPage = z.infer<typeof contentPage>;

export const pageList = z.object({
  pages: z.array(contentPage),
  /** Where images for link previews are chosen, and the projects that can have one; null where the site shows none. */
  share: z
    .object({
      file: z.string(),
      projects: z.array(z.object({ path: z.string(), name: z.string() })),
    })
    .nullable(),
  /** The newest run of changed pages that is open, or has a preview; null where there is none. */
  runId: z.string().nullable(),
});
export type PageList = z.infer<typeof pageList>;

export const pageQuery = z.strictObject({ file: code(200) });

export const pageForm = z.object({
  file: z.string(),
  /** Stands for the file's text that the form was made of. */
  hash: z.string(),
  /** What the file holds. */
  content: z.record(z.string(), z.unknown()),
  /** What the starter site's file holds: what an empty list may have in it. Null without one. */
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
    /** Pages to delete, by their content files. */
    deletions: z.array(pageDeletion).max(20).default([]),
  })
  .refine(({ changes, deletions }) => changes.length + deletions.length > 0, {
    message: "must name a page to change or to delete",
    path: ["changes"],
  });
export type PagesBody = z.input<typeof pagesBody>;

/** What deleting a page comes to. Files by their path in the site's content. */
export const deletionPlan = z.object({
  file: z.string(),
  hash: z.string(),
  path: z.string(),
  /** Files that go. */
  removed: z.array(z.string()),
  /** The content file where it only loses its words, because these sources read it too. */
  emptied: z.object({ file: z.string(), readBy: z.array(z.string()) }).nullable(),
  /** Content files that lose links to the page. */
  unlinked: z.array(z.string()),
  /** What still names the page's address, to be changed by hand. */
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
  /** None where an earlier version has stored the form. */
  deletions?: PageDeletion[];
}
export const pagesStarted = z.object({ runId: z.string() });
