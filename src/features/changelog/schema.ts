import { z } from "zod";
import { pageQuery } from "../../kit/envelope.ts";
import { cleanText } from "../../kit/text.ts";
import { isoTime } from "../../kit/time.ts";
import { changeKind, entryBounds } from "./entry.ts";

/** Where an entry comes from: database/changelog.json, or the app. */
export const entrySource = z.enum(["seed", "app"]);

/** One change of the site and who made it. `at` is ISO 8601 UTC with milliseconds. */
export const entry = z.object({
  id: z.number().int(),
  kind: z.string(),
  title: z.string(),
  detail: z.string(),
  at: z.string(),
  actor: z.string(),
  source: entrySource,
  commit: z.string().nullable(),
});
export type Entry = z.infer<typeof entry>;

function textUpTo(bound: number, multiline = false) {
  return z
    .string("is not a text")
    .overwrite((value) => cleanText(value, { multiline }))
    .max(bound, `is longer than ${bound} characters`);
}

/** A time with its offset, or a day in UTC, as ISO 8601 UTC with milliseconds. */
export const entryAt = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], "is not a date or an ISO 8601 time")
  .transform((text) => isoTime(Date.parse(text)))
  // A year beyond four digits has another form, which text doesn't sort with the rest.
  .refine((at) => /^\d{4}-/.test(at), "is not a date or an ISO 8601 time");
export const entryKind = z.string("is not a text").regex(changeKind, "is not one word");
export const entryTitle = textUpTo(entryBounds.title).min(1, "is empty");
export const entryDetail = textUpTo(entryBounds.detail, true);
/** Empty stands for the site's owner. */
export const entryActor = textUpTo(entryBounds.actor);

/** The largest id that both databases take. */
const maxId = 2_147_483_647;
const id = z.number().int().min(1).max(maxId);
const idInQuery = z.coerce.number().int().min(1).max(maxId);

/** GET /api/adminchangelog/list */
export const listQuery = z.strictObject({
  ...pageQuery,
  /** Found in title, detail, kind or actor, whatever the case. */
  q: textUpTo(200).optional(),
  kind: z.string().max(entryBounds.kind).optional(),
  source: entrySource.optional(),
});

/** GET /api/adminchangelog/get */
export const getQuery = z.strictObject({ id: idInQuery });

/** POST /api/adminchangelog/create; without `at` it is now, without `actor` the site's owner. */
export const createBody = z.strictObject({
  kind: entryKind,
  title: entryTitle,
  detail: entryDetail.default(""),
  at: entryAt.optional(),
  actor: entryActor.optional(),
});

/** POST /api/adminchangelog/save; what is left out stays. */
export const saveBody = z.strictObject({
  id,
  kind: entryKind.optional(),
  title: entryTitle.optional(),
  detail: entryDetail.optional(),
  at: entryAt.optional(),
  actor: entryActor.optional(),
});

/** POST /api/adminchangelog/delete */
export const deleteBody = z.strictObject({ id });
export const deleted = z.object({ id: z.number().int(), deleted: z.literal(true) });
