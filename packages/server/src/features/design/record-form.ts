import { z } from "zod";
import type { OutputForm } from "./ask-model.ts";
import { projectFields } from "../projects/project.ts";

const text = (about: string) => z.string().optional().describe(about);

/** The three texts that the model is asked for. */
const offeredTexts = {
  summary: text("One or two sentences for cards and search engines, at most 280 characters"),
  lede: text("The first paragraph of the page, at most 600 characters"),
  body: text("The case study in Markdown: ## headings, paragraphs, lists; no images, no h1"),
};

const texts = {
  summary: projectFields.summary,
  lede: projectFields.lede,
  body: projectFields.body,
};

const draftSchema = z.object(texts);
export type DraftOutput = z.infer<typeof draftSchema>;

export const draftForm: OutputForm<DraftOutput> = {
  name: "give_draft",
  description: "Gives summary, lede and body of the project's page.",
  modelSchema: z.object(offeredTexts),
  schema: draftSchema,
};

/** The texts for one image; a missing one is empty. */
const imageText = projectFields.gallery.element.shape.caption;
const imageSchema = z.object({ caption: imageText, alt: imageText });
export type ImageTexts = z.infer<typeof imageSchema>;

const offeredImages = z
  .array(
    z.object({
      caption: text("What the image tells the visitor, at most 300 characters, may be empty"),
      alt: text("What can be seen, for people who can't see it, at most 300 characters"),
    }),
  )
  .optional()
  .describe("One entry for each image, in the order in which they were given; no addresses");

/** Fewer or more images than there are is accepted: the server goes by position. */
const images = z.array(z.preprocess((value) => value ?? {}, imageSchema)).default([]);

export const imagesForm: OutputForm<{ images: ImageTexts[] }> = {
  name: "describe_images",
  description: "Gives caption and alt text of each image, in order.",
  modelSchema: z.object({ images: offeredImages }),
  schema: z.object({ images }),
};

const input = <T extends z.ZodType>(schema: T, empty: z.input<T>) =>
  z.preprocess((value) => value ?? empty, schema);

/** An empty note of a metric is null. */
const metrics = z.preprocess(
  (value) =>
    Array.isArray(value)
      ? value.map((metric: unknown) => {
          const { value: amount, label, note } = Object(metric) as Record<string, unknown>;
          return note === undefined || note === null || note === ""
            ? { value: amount, label }
            : { value: amount, label, note };
        })
      : (value ?? []),
  projectFields.metrics,
);

const recordSchema = z.object({
  ...texts,
  kind: input(projectFields.kind, ""),
  period: input(projectFields.period, ""),
  role: input(projectFields.role, ""),
  categories: input(projectFields.categories, []),
  stack: input(projectFields.stack, []),
  skills: input(projectFields.skills, []),
  metrics,
  gallery: input(images, []),
});
export type RecordOutput = z.infer<typeof recordSchema>;

/** The whole record without the fields that the server sets: name, slug, addresses, brief. */
export const recordForm: OutputForm<RecordOutput> = {
  name: "give_project",
  description: "Gives the project's whole record.",
  modelSchema: z.object({
    ...offeredTexts,
    kind: text("What kind of thing it is, such as Web app; at most 60 characters"),
    period: text("When, such as 2024–2025, only if it was said; at most 60 characters"),
    role: text("As whom the owner worked, only if it was said; at most 120 characters"),
    categories: z.array(z.string()).optional().describe("At most 12, of 40 characters each"),
    stack: z.array(z.string()).optional().describe("What it was made with, at most 40"),
    skills: z
      .array(z.object({ group: z.string(), items: z.array(z.string()) }))
      .optional()
      .describe("Skills that the project shows, in at most 12 groups"),
    metrics: z
      .array(z.object({ value: z.string(), label: z.string(), note: z.string().optional() }))
      .optional()
      .describe(
        "At most 8 results in numbers that were said, with the method in the note; else none",
      ),
    gallery: offeredImages,
  }),
  schema: recordSchema,
};
