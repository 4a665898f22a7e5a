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
export const pagesBody = z.strictObject({ changes: z.array(pageChange).min(1).max(20) });
export type PagesBody = z.infer<typeof pagesBody>;

export interface PageChange {
  file: string;
  hash: string;
  values: Record<string, unknown>;
}
export interface PagesInput {
  changes: PageChange[];
}
export const pagesStarted = z.object({ runId: z.string() });
