import type { RecordField } from "../../agent/records.ts";
import type { Media } from "../../media/store.ts";
import type { Project } from "../../projects/project.ts";
import { projectPath } from "../../release/export.ts";
import type { Body } from "./bodies.ts";
import type { RecordPlace } from "./finding-source.ts";

/** The public records, with the stored files that they show by address. */
export interface PublicRecords {
  projects: readonly Project[];
  media: ReadonlyMap<string, Media>;
}

/** The same with indexes for looking up findings. */
export interface IndexedRecords extends PublicRecords {
  /** By the path of the project's page. */
  byPath: ReadonlyMap<string, Project>;
  byId: ReadonlyMap<number, Project>;
  /** The content of texts by project ID, without those that couldn't be parsed in time. */
  bodies: ReadonlyMap<number, Body>;
  /** Where projects show images, by the address of the stored file. */
  imagePlaces: ReadonlyMap<string, readonly RecordPlace[]>;
}

function placeIn(
  { id: projectId, slug, name }: Project,
  field: RecordField,
  item: number | null = null,
): RecordPlace {
  return { kind: "record", projectId, slug, name, field, item };
}

/** The places where a project shows images, with the images' addresses. */
function imagePlacesOf(project: Project, body: Body | undefined): [string, RecordPlace][] {
  const inGallery = project.gallery.map(({ src }, index): [string, RecordPlace] => [
    src,
    placeIn(project, "gallery", index + 1),
  ]);
  const inText = body?.images.map(({ src }): [string, RecordPlace] => [
    src,
    placeIn(project, "body"),
  ]);
  return [...inGallery, ...(inText ?? [])];
}

/** Indexes records for looking up findings, in linear time. */
export function indexRecords(
  records: PublicRecords,
  bodies: ReadonlyMap<number, Body>,
): IndexedRecords {
  const { projects } = records;
  const imagePlaces = new Map<string, RecordPlace[]>();
  for (const project of projects) {
    for (const [src, place] of imagePlacesOf(project, bodies.get(project.id))) {
      const places = imagePlaces.get(src);
      if (places === undefined) imagePlaces.set(src, [place]);
      else places.push(place);
    }
  }
  return {
    ...records,
    byPath: new Map(projects.map((project) => [projectPath(project.slug), project])),
    byId: new Map(projects.map((project) => [project.id, project])),
    bodies,
    imagePlaces,
  };
}

/** The only item; null if there are none or several. */
function only<Item>(items: readonly Item[]): Item | null {
  return items.length === 1 ? (items[0] ?? null) : null;
}

/** The only field that all links from a page to this address come from; null if unclear. */
export function findLinkPlace(
  { byPath, bodies }: IndexedRecords,
  { page, href, count }: { page: string; href: string; count: number },
): RecordPlace | null {
  const project = byPath.get(page);
  const body = project && bodies.get(project.id);
  if (project === undefined || body === undefined) return null;
  const inBody = body.hrefs.filter((one) => one === href).length;
  const isReel = project.reelUrl === href;
  if (isReel) return inBody === 0 && count === 1 ? placeIn(project, "reelUrl") : null;
  return inBody > 0 && inBody === count ? placeIn(project, "body") : null;
}

/** The field that a page's image with this address comes from; null if unclear. */
export function findImagePlace(
  { byPath, projects, bodies, media, imagePlaces }: IndexedRecords,
  { page, src, count }: { page: string; src: string; count: number },
): RecordPlace | null {
  const stored = media.get(src);
  if (stored === undefined || count === 0) return null;
  const project = byPath.get(page);
  const places = imagePlaces.get(stored.src) ?? [];
  if (project !== undefined) {
    if (!bodies.has(project.id) || count !== 1) return null;
    return only(places.filter(({ projectId }) => projectId === project.id));
  }
  // The content of a text that couldn't be parsed is unknown.
  if (bodies.size < projects.length) return null;
  const place = only(places);
  // On other pages, a project is shown only by its cover.
  return place?.field === "gallery" && place.item === 1 ? place : null;
}

const plain = (text: string) => text.replace(/\s+/g, " ").trim();

/** The texts on a project's page that are a whole field, or a whole entry of one. */
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

/** The field or entry that an element's whole text on a project's page comes from. */
export function findTextPlace(
  { byPath }: IndexedRecords,
  { page, text, count }: { page: string; text: string; count: number },
): RecordPlace | null {
  const project = byPath.get(page);
  const wanted = plain(text);
  if (project === undefined || wanted === "" || count !== 1) return null;
  return only(textsOf(project).filter((one) => one.text === wanted))?.place ?? null;
}

/** The field that the title or description of a project's page comes from. */
export function findHeadPlace(
  { byPath }: IndexedRecords,
  { page, part }: { page: string; part: "title" | "description" },
): RecordPlace | null {
  const project = byPath.get(page);
  if (project === undefined) return null;
  if (part === "title") return placeIn(project, "name");
  return placeIn(project, project.summary === "" && project.lede !== "" ? "lede" : "summary");
}
