import { z } from "zod";

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
  /** The newest run of changed pages that is open, or has a preview; null where there is none. */
  runId: z.string().nullable(),
});
export type PageList = z.infer<typeof pageList>;

export const pageQuery = z.strictObject({ file: z.string().max(200) });

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
  file: z.string().max(200),
  hash: z.string().length(64),
  /** The new values of the file's fields that change. */
  values: z.record(z.string().max(100), z.unknown()),
});
export type PageChange = z.infer<typeof pageChange>;

export const pagesBody = z.strictObject({ changes: z.array(pageChange).min(1).max(30) });
export type PagesInput = z.infer<typeof pagesBody>;
export const pagesStarted = z.object({ runId: z.string() });
