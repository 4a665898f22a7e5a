import { z } from "zod";
import { line } from "../../../kit/fields.ts";

/*
 * Edits that the owner makes on the page itself: a text that was typed over, alt text,
 * an image that another was dropped on. Texts are as a page shows them, white space read as one space.
 */

/** The most edits of one run. */
export const maxInlineEdits = 50;

/** The longest text that is edited in place, in characters. */
export const maxInlineText = 5000;

/** A page of this site, root-relative. */
const page = z
  .string()
  .max(2000)
  .regex(/^\/(?![/\\])[^\s\\\p{Cc}\p{Cs}\p{Bidi_C}]*$/u, "must be a root-relative address");

const source = z.strictObject({
  file: z
    .string()
    .max(300)
    .regex(/^app\/[^\\\p{Cc}\p{Cs}\p{Bidi_C}]+$/u, "must be a path of the site's source"),
  line: z.number().int().min(1).max(1_000_000),
  column: z.number().int().min(1).max(1_000_000),
});

const target = {
  page,
  /** Where the build says that the element comes from; null where it doesn't say. */
  source: source.nullable(),
  /** Of all places on the page that come from there and say the same: which, from 0, and how many. */
  index: z.number().int().min(0).max(10_000),
  count: z.number().int().min(1).max(10_000),
};

const image = { ...target, src: line(500, { min: 1 }) };

/** What was pointed at, before anything is typed. */
export const inlineTarget = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("text"), ...target, before: line(maxInlineText, { min: 1 }) }),
  z.strictObject({ kind: z.literal("alt"), ...image }),
  z.strictObject({ kind: z.literal("image"), ...image }),
]);
export type InlineTarget = z.infer<typeof inlineTarget>;

/** `everywhere`: also wherever else on the site the same stands. */
const scope = z.enum(["here", "everywhere"]);

export const inlineEdit = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("text"),
    ...target,
    scope,
    before: line(maxInlineText, { min: 1 }),
    after: line(maxInlineText, {
      min: 1,
      empty: "can't be empty: ask in the console to remove a text",
    }),
  }),
  z.strictObject({ kind: z.literal("alt"), ...image, scope, after: line(500, { min: 1 }) }),
  z.strictObject({
    kind: z.literal("image"),
    ...image,
    scope,
    /** The stored image that takes its place. */
    mediaId: z.number().int().min(1).max(2_147_483_647),
    /** What it shows. */
    alt: line(500, { min: 1 }),
  }),
]);
export type InlineEdit = z.infer<typeof inlineEdit>;

export const inlineEditsBody = z.strictObject({
  edits: z.array(inlineEdit).min(1).max(maxInlineEdits),
});

/** Where what was pointed at is edited, or why it can't be. */
export const inlineAnswer = z.discriminatedUnion("canEdit", [
  z.object({
    canEdit: z.literal(true),
    /** Where it stands, for people, such as `home.json` or `lede of tidewater`. */
    where: z.string(),
    /** In how many places of the site the same stands, this one among them. */
    places: z.number().int(),
    /** Whether this one place is known; false where only all of them can be changed. */
    isHereKnown: z.boolean(),
    /** The present alt text of an image, where that is asked for. */
    alt: z.string().optional(),
  }),
  z.object({ canEdit: z.literal(false), reason: z.string() }),
]);
export type InlineAnswer = z.infer<typeof inlineAnswer>;
