import { z } from "zod";
import { pageSchema, pageQuery } from "../../kit/envelope.ts";
import { line, verbatim } from "../../kit/fields.ts";

/** Maximum length of an alt text and of a file name, in characters. */
export const altLength = 300;
export const nameLength = 255;

/** What an image shows, for people who can't see it. */
export const altText = line(altLength);

/** The original file name; never used as a path. */
export const originalName = line(nameLength);

export const mediaKind = z.enum(["image", "video"]);
export type MediaKind = z.infer<typeof mediaKind>;

/** The same image at another width; sizes in pixels and bytes. */
export const mediaVariant = z.object({
  src: z.string(),
  width: z.number().int(),
  bytes: z.number().int(),
});

const percent = z.number().int().min(0).max(100);

/** What stays visible where an image is cut, in percent from the left and from the top. */
export const focalPoint = z.strictObject({ x: percent, y: percent });

const cropPixels = z.number("must be a number").int().min(0).max(1600);

/** A part of an image, in pixels. */
export const cropArea = z.strictObject({
  x: cropPixels,
  y: cropPixels,
  width: cropPixels.min(16, "must be at least 16 pixels"),
  height: cropPixels.min(16, "must be at least 16 pixels"),
});

/** A stored image or video. Sizes in pixels and bytes; `duration` in seconds, only for videos. */
export const mediaItem = z.object({
  id: z.number().int(),
  kind: mediaKind,
  src: z.string(),
  originalName: z.string(),
  mime: z.string(),
  bytes: z.number().int(),
  originalBytes: z.number().int(),
  width: z.number().int(),
  height: z.number().int(),
  duration: z.number().nullable(),
  hasAlpha: z.boolean(),
  animated: z.boolean(),
  poster: z.string().nullable(),
  /** Data URL of a tiny image. */
  placeholder: z.string().nullable(),
  /** WebP. */
  variants: z.array(mediaVariant),
  /** AVIF, up to the image's own width; empty until they are made, and for what has none. */
  avif: z.array(mediaVariant),
  sha256: z.string(),
  alt: z.string(),
  /** It is decorative: its alt text is empty on purpose. */
  isDecorative: z.boolean(),
  focalPoint,
  /** Set if it is a part of a larger image: the size of that, and the part. */
  uncropped: z
    .object({
      media: z.object({ width: z.number().int(), height: z.number().int() }),
      crop: cropArea,
    })
    .nullable(),
  createdAt: z.string(),
});
export type MediaItem = z.infer<typeof mediaItem>;

/** The result of an upload; warnings are problems with the file that could be fixed. */
export const uploadedMedia = mediaItem.extend({ warnings: z.array(z.string()).optional() });
export type UploadedMedia = z.infer<typeof uploadedMedia>;

/** An image for agents that is never part of the site; sizes in bytes and pixels. */
export const referenceImage = z.object({
  id: z.string(),
  name: z.string(),
  mime: z.string(),
  bytes: z.number().int(),
  width: z.number().int(),
  height: z.number().int(),
});
export type ReferenceImage = z.infer<typeof referenceImage>;

export const mediaUse = z.object({ id: z.number().int(), name: z.string() });
export type MediaUse = z.infer<typeof mediaUse>;

export const listedMedia = mediaItem.extend({ usedBy: z.array(mediaUse) });
export type ListedMedia = z.infer<typeof listedMedia>;

export const mediaListQuery = z.strictObject({
  ...pageQuery,
  q: line(200).optional(),
  kind: mediaKind.optional(),
  /** `missing`: only images without an alt text that aren't marked as decorative. */
  alt: z.enum(["missing"]).optional(),
  /** The order; `size` lists the largest files first. */
  sort: z.enum(["newest", "oldest", "name", "size"]).optional(),
});
export const mediaList = pageSchema(listedMedia);
export type MediaList = z.infer<typeof mediaList>;

const mediaId = z.number().int().positive();

export const mediaQuery = z.strictObject({ id: z.coerce.number().int().positive() });

export const mediaUpdate = z
  .strictObject({
    id: mediaId,
    alt: altText.optional(),
    originalName: originalName.min(1).optional(),
    isDecorative: z.boolean("must be true or false").optional(),
    focalPoint: focalPoint.optional(),
  })
  .refine(({ id: _id, ...change }) => Object.values(change).some((one) => one !== undefined), {
    message: "Say what to change: alt, originalName, isDecorative, or focalPoint.",
    path: ["alt"],
  });

/** The most images that one request can describe. */
const maxDescriptions = 100;

/** POST /api/media/describe */
export const mediaDescriptions = z.strictObject({
  items: z
    .array(z.strictObject({ id: mediaId, alt: altText, isDecorative: z.boolean() }))
    .min(1)
    .max(maxDescriptions)
    .refine((items) => new Set(items.map(({ id }) => id)).size === items.length, {
      message: "Describe each image only once.",
    }),
});
export const describedMedia = z.object({ items: z.array(mediaItem) });
export type DescribedMedia = z.infer<typeof describedMedia>;

/** POST /api/media/crop; null shows the whole image again. */
export const mediaCrop = z.strictObject({ id: mediaId, crop: cropArea.nullable() });

/** POST /api/media/replace: `id` gets the file of `withId`, which is then gone. */
export const mediaReplace = z.strictObject({ id: mediaId, withId: mediaId });

export const mediaDelete = z.strictObject({ id: mediaId });
export const deletedMedia = z.object({ id: mediaId, deleted: z.literal(true) });

/** GET /api/media/jobs/:id */
export const jobParams = z.strictObject({ id: line(256) });

/** GET /api/media/reference/:id */
export const referenceParams = z.strictObject({ id: line(256) });

/** GET /api/media/file/:year/:name */
export const fileParams = z.strictObject({ year: verbatim(256), name: verbatim(256) });

export const jobStatus = z.enum(["receiving", "waiting", "working", "done", "failed"]);

/** The state of an upload; resumable ones have the ID of their upload. */
export const job = z.object({
  id: z.string(),
  status: jobStatus,
  /** From 0 to 1 within the current status; null if unknown. */
  progress: z.number().min(0).max(1).nullable(),
  /** Set when it is done. */
  media: uploadedMedia.nullable(),
  /** False for a file that was stored already; null until it is done. */
  created: z.boolean().nullable(),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      fields: z.record(z.string(), z.string()).optional(),
      details: z.unknown().optional(),
    })
    .nullable(),
});
export type Job = z.infer<typeof job>;

/** POST /api/media/jobs/:id/cancel */
export const cancelledJob = z.object({ id: z.string(), cancelled: z.literal(true) });

export const jobQuery = z.strictObject(pageQuery);
export const jobList = pageSchema(job);
