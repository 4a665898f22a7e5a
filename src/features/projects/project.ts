import { z } from "zod";
import { cleanText } from "../../kit/text.ts";

function line(max: number) {
  return z
    .string()
    .transform((value) => cleanText(value))
    .pipe(z.string().max(max));
}

function paragraphs(max: number) {
  return z
    .string()
    .transform((value) => cleanText(value, { multiline: true }))
    .pipe(z.string().max(max));
}

function word(max: number) {
  return line(max).pipe(z.string().min(1));
}

/** What an address of a stored media file looks like. */
export const mediaSrc = z
  .string()
  .max(200)
  .regex(/^\/media\/\d{4}\/[a-z0-9][a-z0-9-]*\.[a-z0-9]+$/, "is not the address of a stored file");

/** A project's words, numbers and pictures, within the bounds of the record. */
export const projectSchema = z.strictObject({
  slug: z
    .string()
    .min(1)
    .max(80)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  name: word(120),
  status: z.enum(["draft", "published", "archived"]),
  position: z.number().int().min(0),
  summary: line(280).default(""),
  lede: paragraphs(600).default(""),
  /** Markdown. */
  body: paragraphs(50_000).default(""),
  kind: line(60).default(""),
  period: line(60).default(""),
  role: line(120).default(""),
  categories: z.array(word(40)).max(12).default([]),
  stack: z.array(word(40)).max(40).default([]),
  skills: z
    .array(z.strictObject({ group: word(60), items: z.array(word(40)).max(24) }))
    .max(12)
    .default([]),
  metrics: z
    .array(z.strictObject({ value: word(24), label: word(60), note: line(160).exactOptional() }))
    .max(8)
    .default([]),
  /** In order; the first is the cover. */
  gallery: z
    .array(
      z.strictObject({
        src: mediaSrc,
        caption: line(300).default(""),
        alt: line(300).exactOptional(),
      }),
    )
    .max(60)
    .default([]),
  reelUrl: z
    .url()
    .regex(/^https:\/\/(www\.)?instagram\.com\/(reel|p)\//)
    .nullable()
    .default(null),
});

export type ProjectFields = z.infer<typeof projectSchema>;

/** A stored project. Times are ISO 8601 UTC; `version` grows by one a save. */
export interface Project extends ProjectFields {
  id: number;
  version: number;
  createdAt: string;
  updatedAt: string;
}
