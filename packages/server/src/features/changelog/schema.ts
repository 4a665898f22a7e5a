import { z } from "zod";
import { pageQuery } from "../../kit/envelope.ts";
import { line, paragraphs } from "../../kit/fields.ts";
import { isoTime } from "../../kit/time.ts";
import { changeKind, entryBounds } from "./entry.ts";

/** The origin of an entry: database/changelog.json, or the app. */
export const entrySource = z.enum(["seed", "app"]);

/** A change to the site and its author. `at` is ISO 8601 UTC with milliseconds. */
export const entry = z.object({
  id: z.number().int(),
  kind: z.string(),
  title: z.string(),
  detail: z.string(),
  at: z.string(),
  actor: z.string(),
  source: entrySource,
  commit: z.string().nullable(),
  /** Not shown to visitors. */
  hidden: z.boolean(),
});
export type Entry = z.infer<typeof entry>;

/** A time with an offset, or a day in UTC, converted to ISO 8601 UTC with milliseconds. */
export const entryAt = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], "must be a date or an ISO 8601 time")
  .transform((text) => isoTime(Date.parse(text)))
  // Years with more than four digits have a different form, which doesn't sort as text.
  .refine((at) => /^\d{4}-/.test(at), "must be a date or an ISO 8601 time");
export const entryKind = line(entryBounds.kind).regex(changeKind, "must be one word");
export const entryTitle = line(entryBounds.title, { min: 1 });
export const entryDetail = paragraphs(entryBounds.detail);
/** Empty means the site's owner. */
export const entryActor = line(entryBounds.actor);

/** The largest ID that both databases support. */
const maxId = 2_147_483_647;
const id = z.number().int().min(1).max(maxId);
const idInQuery = z.coerce.number().int().min(1).max(maxId);

/** GET /api/adminchangelog/list */
export const listQuery = z.strictObject({
  ...pageQuery,
  /** Searched in title, detail, kind, and actor, ignoring case. */
  q: line(200).optional(),
  kind: line(entryBounds.kind).optional(),
  source: entrySource.optional(),
});

/** GET /api/adminchangelog/get */
export const getQuery = z.strictObject({ id: idInQuery });

/** POST /api/adminchangelog/create. `at` defaults to now, `actor` to the site's owner. */
export const createBody = z.strictObject({
  kind: entryKind,
  title: entryTitle,
  detail: entryDetail.default(""),
  at: entryAt.optional(),
  actor: entryActor.optional(),
});

/** POST /api/adminchangelog/save; missing fields stay unchanged. */
export const saveBody = z.strictObject({
  id,
  kind: entryKind.optional(),
  title: entryTitle.optional(),
  detail: entryDetail.optional(),
  at: entryAt.optional(),
  actor: entryActor.optional(),
  hidden: z.boolean("must be true or false").optional(),
});

/** POST /api/adminchangelog/delete */
export const deleteBody = z.strictObject({ id });
export const deleted = z.object({ id: z.number().int(), deleted: z.literal(true) });
