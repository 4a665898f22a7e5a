import type { Db } from "../../platform/db/connect.ts";
import { findMediaBySrc, type Media } from "../media/store.ts";
import { countCategories, countStatuses, type ListedProject, listProjects } from "./list-store.ts";
import type { ProjectFilters, ProjectList, ProjectListQuery, ProjectSummary } from "./schema.ts";
import { searchWords } from "./search-text.ts";

function summaryOf(listed: ListedProject, media: ReadonlyMap<string, Media>): ProjectSummary {
  const { gallery, ...project } = listed;
  const [first] = gallery;
  const stored = first && media.get(first.src);
  const cover = stored ? { ...stored, alt: first.alt ?? stored.alt } : null;
  return { ...project, images: gallery.length, cover };
}

/** A page of the list. */
export async function readList(db: Db, query: ProjectListQuery): Promise<ProjectList> {
  const { q = "", status, audience, category, sort, page, perPage } = query;
  const filter = { words: searchWords(q), status, audience, category: category || undefined };
  const slice = { sort, limit: perPage, offset: (page - 1) * perPage };
  const { items, total } = await listProjects(db, filter, slice);
  const media = await findMediaBySrc(
    db,
    items.flatMap((item) => item.gallery[0]?.src ?? []),
  );
  return { items: items.map((item) => summaryOf(item, media)), total, page, perPage };
}

/** The available filters; categories sorted by name. */
export async function readFilters(db: Db): Promise<ProjectFilters> {
  const counts = await countCategories(db);
  const categories = [...counts].map(([name, count]) => ({ name, count }));
  const byName = new Intl.Collator("en");
  return {
    statuses: await countStatuses(db),
    categories: categories.toSorted((a, b) => byName.compare(a.name, b.name)),
  };
}
