import type { Db } from "../../platform/db/connect.ts";
import { findMissingFiles, galleryMedia } from "./gallery.ts";
import { nextPosition } from "./order-store.ts";
import { type ProjectFields, projectSchema } from "./project.ts";
import type { ProjectCreate } from "./schema.ts";
import { freeSlug, slugOf, slugStem } from "./slug.ts";
import { findIdBySlug, listTakenSlugs } from "./slug-store.ts";
import { slugTaken } from "./write.ts";

/**
 * What a new project would be stored as, without storing it: with the same validation and slug.
 * Throws `already_exists` if a given slug is taken, `validation_failed` for a gallery with media
 * that aren't stored.
 */
export async function withCreationDefaults(
  { db, mediaRoot }: { db: Db; mediaRoot: string },
  { slug, ...fields }: ProjectCreate,
): Promise<Omit<ProjectFields, "brief">> {
  const gallery = fields.gallery ?? [];
  await galleryMedia(db, gallery, await findMissingFiles(mediaRoot, gallery));
  if (slug !== undefined && (await findIdBySlug(db, slug)) !== null) throw slugTaken(slug);
  const base = slug ?? slugOf(fields.name);
  const chosen = slug ?? freeSlug(base, await listTakenSlugs(db, slugStem(base)));
  const position = await nextPosition(db);
  const { brief: _, ...project } = projectSchema.parse({
    ...fields,
    slug: chosen,
    status: "published",
    position,
  });
  return project;
}
