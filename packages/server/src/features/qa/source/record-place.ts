import type { RecordField } from "../../agent/records.ts";
import { readMarkdown } from "../../agent/literal/markdown-edit.ts";
import type { Media } from "../../media/store.ts";
import type { Project } from "../../projects/project.ts";
import { projectPath } from "../../release/export.ts";
import type { RecordPlace } from "./finding-source.ts";

/** The records that everyone sees, with the stored files that they show by each of their addresses. */
export interface PublicRecords {
  projects: readonly Project[];
  media: ReadonlyMap<string, Media>;
}

function placeIn(
  { id: projectId, slug, name }: Project,
  field: RecordField,
  item: number | null = null,
): RecordPlace {
  return { kind: "record", projectId, slug, name, field, item };
}

/** The project whose page an address is; undefined for any other page. */
export function projectOnPage({ projects }: PublicRecords, page: string): Project | undefined {
  return projects.find(({ slug }) => projectPath(slug) === page);
}

/** The only one; null where there are several, or none. */
function only<Item>(items: readonly Item[]): Item | null {
  return items.length === 1 ? (items[0] ?? null) : null;
}

/** The field that every link of a page to this address is from; null where that isn't clear. */
export function findLinkPlace(
  records: PublicRecords,
  { page, href, count }: { page: string; href: string; count: number },
): RecordPlace | null {
  const project = projectOnPage(records, page);
  if (project === undefined) return null;
  const inBody = readMarkdown(project.body).hrefs.filter((one) => one === href).length;
  const isReel = project.reelUrl === href;
  if (isReel) return inBody === 0 && count === 1 ? placeIn(project, "reelUrl") : null;
  return inBody > 0 && inBody === count ? placeIn(project, "body") : null;
}

/** Where a project shows an image: in its text, or at a place of its gallery. */
function imagePlaces(project: Project, { src }: Media): RecordPlace[] {
  const inText = readMarkdown(project.body).images.filter((image) => image.src === src);
  return [
    ...project.gallery.flatMap((item, index) =>
      item.src === src ? placeIn(project, "gallery", index + 1) : [],
    ),
    ...inText.map(() => placeIn(project, "body")),
  ];
}

/** The field that the image of a page with this address is from; null where that isn't clear. */
export function findImagePlace(
  records: PublicRecords,
  { page, src, count }: { page: string; src: string; count: number },
): RecordPlace | null {
  const media = records.media.get(src);
  if (media === undefined || count === 0) return null;
  const project = projectOnPage(records, page);
  const places = (project ? [project] : records.projects).flatMap((one) => imagePlaces(one, media));
  const place = only(places);
  if (place === null) return null;
  if (project !== undefined) return count === 1 ? place : null;
  // Elsewhere a project is shown by its cover alone.
  return place.field === "gallery" && place.item === 1 ? place : null;
}

const plain = (text: string) => text.replace(/\s+/g, " ").trim();

/** The texts of a project's page that are a whole field, or a whole entry of one. */
function textsOf(project: Project): { text: string; place: RecordPlace }[] {
  const fields = ["name", "lede", "kind", "period", "role"] as const;
  const list = [
    ...fields.map((field) => ({ text: project[field], place: placeIn(project, field) })),
    ...project.metrics.flatMap(({ value, label, note = "" }) =>
      [value, label, note].map((text) => ({ text, place: placeIn(project, "metrics") })),
    ),
    ...project.skills.flatMap(({ group, items }) =>
      [group, ...items].map((text) => ({ text, place: placeIn(project, "skills") })),
    ),
    ...(["categories", "stack"] as const).flatMap((field) =>
      project[field].map((text) => ({ text, place: placeIn(project, field) })),
    ),
    ...project.gallery.map(({ caption }, index) => ({
      text: caption,
      place: placeIn(project, "gallery", index + 1),
    })),
  ];
  return list.map(({ text, place }) => ({ text: plain(text), place }));
}

/** The field whose text, or an entry of which, is all that an element of a project's page says. */
export function findTextPlace(
  records: PublicRecords,
  { page, text, count }: { page: string; text: string; count: number },
): RecordPlace | null {
  const project = projectOnPage(records, page);
  const wanted = plain(text);
  if (project === undefined || wanted === "" || count !== 1) return null;
  return only(textsOf(project).filter((one) => one.text === wanted))?.place ?? null;
}

/** The field that the title or the description of a project's page is made of. */
export function findHeadPlace(
  records: PublicRecords,
  { page, part }: { page: string; part: "title" | "description" },
): RecordPlace | null {
  const project = projectOnPage(records, page);
  if (project === undefined) return null;
  if (part === "title") return placeIn(project, "name");
  return placeIn(project, project.summary === "" && project.lede !== "" ? "lede" : "summary");
}
