import { z } from "zod";
import { pageSchema, pageQuery } from "../../kit/envelope.ts";
import { line, maxId, rowId } from "../../kit/fields.ts";
import { mediaItem } from "../media/schema.ts";
import {
  strictShape,
  projectAudience,
  projectFields,
  projectSlug,
  projectStatus,
} from "./project.ts";

export type { ProjectStatus } from "./project.ts";

/** Maximum bytes of a body with a whole record, in any script and however it is escaped. */
export const recordBytes = 1024 * 1024;

const projectId = rowId;
const projectVersion = rowId;

function search(max: number) {
  return line(max, { tooLong: `must be at most ${max} characters` });
}

/** The orders of the list: the owner's, by name, or last changed first. */
export const projectSort = z.enum(["position", "name", "updated"]);
export type ProjectSort = z.infer<typeof projectSort>;

/** `q`: each word has to occur, ignoring case and accents. */
export const projectListQuery = strictShape({
  ...pageQuery,
  q: search(200).optional(),
  status: projectStatus.optional(),
  audience: projectAudience.optional(),
  category: search(40).optional(),
  sort: projectSort.default("position"),
});
export type ProjectListQuery = z.infer<typeof projectListQuery>;

export const projectQuery = strictShape({
  id: z.coerce.number().int().min(1).max(maxId).optional(),
  slug: projectSlug.optional(),
}).refine(({ id, slug }) => (id === undefined) !== (slug === undefined), {
  message: "give either the ID or the slug",
  path: ["id"],
});
export type ProjectQuery = z.infer<typeof projectQuery>;

const optionalFields = z.object(projectFields).partial().shape;

/** A new project; by default, the slug is made from the name. */
export const projectCreate = strictShape({ ...optionalFields, name: projectFields.name });
export type ProjectCreate = z.infer<typeof projectCreate>;

/** Changes to a project at the `version` that the client has seen. */
export const projectSave = strictShape({
  id: projectId,
  version: projectVersion,
  ...optionalFields,
});
export type ProjectSave = z.infer<typeof projectSave>;

export const projectDelete = strictShape({ id: projectId, version: projectVersion.optional() });
export type ProjectDelete = z.infer<typeof projectDelete>;
export const deletedProject = z.object({ id: z.number().int(), deleted: z.literal(true) });

/** Puts the given projects in this order into the positions that they occupy. */
export const projectReorder = strictShape({
  ids: z
    .array(projectId)
    .min(1, "must have at least one entry")
    .max(10_000, "must have at most 10000 entries"),
});
export const reorderedProjects = z.object({ ids: z.array(z.number().int()) });

/** A stored project with its private brief. Times are ISO 8601 UTC. */
export const projectRecord = z.object({
  id: z.number().int(),
  slug: z.string(),
  name: z.string(),
  status: projectStatus,
  audience: projectAudience,
  summary: z.string(),
  lede: z.string(),
  body: z.string(),
  kind: z.string(),
  period: z.string(),
  role: z.string(),
  categories: z.array(z.string()),
  stack: z.array(z.string()),
  skills: z.array(z.object({ group: z.string(), items: z.array(z.string()) })),
  metrics: z.array(
    z.object({ value: z.string(), label: z.string(), note: z.string().exactOptional() }),
  ),
  gallery: z.array(
    z.object({
      src: z.string(),
      caption: z.string(),
      alt: z.string().exactOptional(),
      isDecorative: z.literal(true).exactOptional(),
    }),
  ),
  reelUrl: z.string().nullable(),
  brief: z.string(),
  position: z.number().int(),
  version: z.number().int(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type ProjectRecord = z.infer<typeof projectRecord>;

/** `media`: the gallery's media, each once. */
export const projectDetail = projectRecord.extend({ media: z.array(mediaItem) });
export type ProjectDetail = z.infer<typeof projectDetail>;

export const projectCover = mediaItem.pick({
  src: true,
  kind: true,
  poster: true,
  placeholder: true,
  variants: true,
  width: true,
  height: true,
  alt: true,
});

/**
 * A project in the list; `images` is the number of gallery items, the first of which is the cover.
 */
export const projectSummary = projectRecord
  .pick({
    id: true,
    slug: true,
    name: true,
    status: true,
    audience: true,
    summary: true,
    kind: true,
    period: true,
    categories: true,
    position: true,
    version: true,
    updatedAt: true,
  })
  .extend({ images: z.number().int(), cover: projectCover.nullable() });
export type ProjectSummary = z.infer<typeof projectSummary>;

export const projectList = pageSchema(projectSummary);
export type ProjectList = z.infer<typeof projectList>;

/** The number of projects by status, and by category. */
export const projectFilters = z.object({
  statuses: z.object({
    draft: z.number().int(),
    published: z.number().int(),
    archived: z.number().int(),
  }),
  categories: z.array(z.object({ name: z.string(), count: z.number().int() })),
});
export type ProjectFilters = z.infer<typeof projectFilters>;

/**
 * Details of a refused save or deletion: the sent version, the current one, and the current record;
 * null if it is too long for an error, use `get` then.
 */
export const staleProject = z.object({
  version: z.number().int(),
  yours: z.number().int(),
  current: projectDetail.nullable(),
});
export type StaleProject = z.infer<typeof staleProject>;
