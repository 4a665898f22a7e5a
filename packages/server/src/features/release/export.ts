import { AppError } from "../../kit/errors.ts";
import { sha256Hex } from "../../kit/hash.ts";
import type { Db } from "../../platform/db/connect.ts";
import { listEntriesAfterSeeding } from "../changelog/seed.ts";
import { findMediaBySrc, isCentered, type Media } from "../media/store.ts";
import { bodyAddresses, mediaAddresses } from "../projects/gallery.ts";
import type { Project } from "../projects/project.ts";
import { filesOfProjects, restrictedFiles } from "../projects/media-files.ts";
import {
  newDrafts,
  type RecordChange,
  removedProjects,
  withChanges,
} from "../projects/run-changes/change.ts";
import { listNewProjects } from "../projects/run-changes/publish-changes.ts";
import {
  findProject,
  listNames,
  listPublished,
  listRedirects,
  listRestricted,
} from "../projects/store.ts";
import { isSignUpOpen } from "../settings/site-settings.ts";
import { readAccent, readTheme } from "../settings/theme/theme-setting.ts";
import {
  nameMark,
  type SiteRecords,
  type Snapshot,
  type SnapshotMedia,
  type SnapshotImage,
  type SnapshotProject,
  type SnapshotRedirect,
} from "./snapshot.ts";

/** Maximum changes shown in a site's changelog. */
const maxChanges = 1000;

export interface SiteFacts {
  baseUrl: string;
  owner: { name: string; timeZone: string };
}

function exportMedia(item: Project["gallery"][number], media: Media): SnapshotMedia {
  const { src, width, height, kind, poster, placeholder, variants, avif } = media;
  // Texts for this place override those of the image; marking it as decorative is no text.
  const isDecorative = item.isDecorative ?? (!item.alt && media.isDecorative);
  const alt = isDecorative ? "" : (item.alt ?? media.alt);
  const facts = { width, height, kind, poster, placeholder, variants };
  const caption = item.caption;
  // An image that is cut at its center is exported as before there were focal points.
  const focal = isCentered(media.focalPoint) ? {} : { focalPoint: media.focalPoint };
  return {
    src,
    caption,
    alt,
    ...(isDecorative && { isDecorative: true as const }),
    ...focal,
    ...facts,
    ...(avif.length > 0 && { avif }),
  };
}

/** The images named in a text; videos there don't count. */
function exportImages(
  project: Project,
  media: ReadonlyMap<string, Media>,
): Pick<SnapshotProject, "bodyPictures"> {
  const images = [...new Set(bodyAddresses(project))].flatMap((address): SnapshotImage[] => {
    const stored = media.get(address);
    if (stored?.kind !== "image") return [];
    const { src, width, height, placeholder, variants, avif } = stored;
    return [{ src, width, height, placeholder, variants, ...(avif.length > 0 && { avif }) }];
  });
  return images.length > 0 ? { bodyPictures: images } : {};
}

/** Lists each exported field of a record, so that a new private one stays private. */
function exportProject(project: Project, media: Map<string, Media>): SnapshotProject {
  return {
    slug: project.slug,
    identity: projectIdentity(project),
    name: project.name,
    summary: project.summary,
    lede: project.lede,
    body: project.body,
    kind: project.kind,
    period: project.period,
    role: project.role,
    categories: project.categories,
    stack: project.stack,
    skills: project.skills,
    metrics: project.metrics,
    gallery: project.gallery.flatMap((item) => {
      const stored = media.get(item.src);
      return stored ? [exportMedia(item, stored)] : [];
    }),
    ...exportImages(project, media),
    reelUrl: project.reelUrl,
    updatedAt: project.updatedAt,
  };
}

/** Tells a project from others that have had its address, without saying when it was created. */
export function projectIdentity({ id, createdAt }: Pick<Project, "id" | "createdAt">): string {
  return sha256Hex(`${id} ${createdAt}`).slice(0, 16);
}

/** The path of a project's page on the site. */
export function projectPath(slug: string): string {
  return `/projects/${slug}/`;
}

/** An existing page keeps its address, even if a redirect exists there. */
function exportRedirects(
  redirects: { from: string; to: string }[],
  projects: readonly Project[],
): SnapshotRedirect[] {
  const slugs = new Set(projects.map((project) => project.slug));
  return redirects
    .filter(({ from, to }) => !slugs.has(from) && slugs.has(to))
    .map(({ from, to }) => ({ from: projectPath(from), to: projectPath(to) }))
    .toSorted((a, b) => (a.from < b.from ? -1 : 1));
}

/** The former paths of the public projects' pages, with their present ones. */
export async function listMovedPages(db: Db): Promise<SnapshotRedirect[]> {
  return exportRedirects(await listRedirects(db), await listExportedProjects(db, {}));
}

/**
 * A project whose page is shown whatever its status: a stored one, or one that isn't stored yet.
 */
export type ProjectShownAnyway = number | Project;

/**
 * The projects published for everyone and for the given audience, and one that is shown as if it
 * were published.
 */
async function listExportedProjects(
  db: Db,
  { asPublished, restricted = [], changes = [] }: ExportOptions,
): Promise<Project[]> {
  const removed = removedProjects(changes);
  const stored = (await listPublished(db))
    .filter(({ id }) => !removed.has(id))
    .filter(({ id, audience }) => audience === "everyone" || restricted.includes(id))
    .map((project) => withChanges(project, changes));
  const created = await listNewProjects(db, changes);
  const published = [...stored, ...created.filter(({ status }) => status === "published")];
  if (typeof asPublished === "object") return [...published, asPublished];
  if (asPublished === undefined || published.some(({ id }) => id === asPublished)) return published;
  const project = await findProject(db, { id: asPublished });
  if (!project) throw new AppError("not_found", "This project doesn't exist.");
  return [...published, project].toSorted((a, b) => a.position - b.position || a.id - b.id);
}

export interface ExportOptions {
  /**
   * The text of the workspace's database/changelog.json; undefined means what is already seeded.
   */
  seed?: string | null | undefined;
  asPublished?: ProjectShownAnyway | undefined;
  /** The IDs of restricted projects that are included if they are published. */
  restricted?: readonly number[];
  /** Names of restricted projects that are added by this build. */
  hide?: readonly string[];
  /** A run's record changes, included as they will be once published. */
  changes?: readonly RecordChange[] | undefined;
}

/**
 * The files of restricted projects, except those also shown by an included project. Files that such
 * a project has shown before are included: nothing becomes public by being removed from a page, or
 * with the page.
 */
async function withheldFiles(
  db: Db,
  shown: readonly Project[],
  changes: readonly RecordChange[] = [],
): Promise<Set<string>> {
  const restricted = (await listRestricted(db)).map((project) => withChanges(project, changes));
  const files = await restrictedFiles(db, restricted);
  if (files.size === 0) return files;
  for (const file of await filesOfProjects(db, shown, files)) files.delete(file);
  return files;
}

/** The files that a build of the public site leaves out, by their addresses. */
export async function listWithheldFiles(db: Db): Promise<Set<string>> {
  return withheldFiles(db, await listExportedProjects(db, {}));
}

/**
 * Reads the data of one build of the site: published records, nothing private. The changelog is as
 * it will be after seeding. Throws `malformed_json` or `validation_failed` with the element for a
 * malformed seed, `not_found` for an unknown project.
 */
export async function exportSite(
  db: Db,
  facts: SiteFacts,
  options: ExportOptions = {},
): Promise<SiteRecords> {
  const projects = await listExportedProjects(db, options);
  const snapshot = await snapshotOf(db, facts, projects, options);
  // Last, so that a project unpublished in the meantime takes its files with it.
  return { snapshot, withheld: await withheldFiles(db, projects, options.changes) };
}

/**
 * Shows whether a public build may contain content that is no longer public: if the hash has
 * changed since before the build, it may. Takes two short queries if everything is and was public.
 */
export async function audienceHash(db: Db): Promise<string> {
  const restricted = await listRestricted(db);
  const files = await restrictedFiles(db, restricted);
  if (restricted.length === 0 && files.size === 0) return "";
  const withheld = await listWithheldFiles(db);
  return sha256Hex(JSON.stringify([restricted.map(({ id }) => id), [...withheld].toSorted()]));
}

/** Drafts, archived projects, and those for audiences other than the build's. */
async function exportHiddenNames(
  db: Db,
  shown: readonly Project[],
  more: readonly string[],
  changes: readonly RecordChange[],
): Promise<Pick<Snapshot, "hiddenNames">> {
  const ids = new Set([...shown.map(({ id }) => id), ...removedProjects(changes)]);
  const renamed = new Map(
    changes
      .filter(({ field }) => field === "name")
      .map(({ projectId, after }) => [projectId, String(after)]),
  );
  const hidden = (await listNames(db))
    .filter(({ id }) => !ids.has(id))
    .map(({ id, name }) => renamed.get(id) ?? name);
  const drafts = newDrafts(changes).flatMap(({ draft }) =>
    draft.status === "published" ? [] : [draft.name],
  );
  const marks = new Set([...hidden, ...drafts, ...more].map(nameMark));
  return marks.size > 0 ? { hiddenNames: [...marks].toSorted() } : {};
}

/** What `exportSite` reads, without files. */
export async function exportSnapshot(
  db: Db,
  facts: SiteFacts,
  options: ExportOptions = {},
): Promise<Snapshot> {
  return snapshotOf(db, facts, await listExportedProjects(db, options), options);
}

async function snapshotOf(
  db: Db,
  facts: SiteFacts,
  projects: readonly Project[],
  { seed = null, hide = [], changes: pending = [] }: ExportOptions,
): Promise<Snapshot> {
  const media = await findMediaBySrc(db, projects.flatMap(mediaAddresses));
  const changes = await listEntriesAfterSeeding(db, {
    limit: maxChanges,
    seed: seed === null ? null : { json: seed, ownerName: facts.owner.name },
  });
  const [theme, accent] = [await readTheme(db), await readAccent(db)];
  const isOfUse =
    (await isSignUpOpen(db)) ||
    (await listRestricted(db)).some(({ status }) => status === "published");
  return {
    site: {
      baseUrl: facts.baseUrl.replace(/\/+$/, ""),
      ownerName: facts.owner.name,
      timeZone: facts.owner.timeZone,
      ...(isOfUse && { accounts: true as const }),
      ...(theme !== null && { look: theme }),
      ...(accent !== null && { accent }),
    },
    projects: projects.map((project) => exportProject(project, media)),
    changelog: changes.map(({ kind, title, detail, at, actor }) => {
      return { kind, title, detail, at, actor };
    }),
    redirects: exportRedirects(await listRedirects(db), projects),
    ...(await exportHiddenNames(db, projects, hide, pending)),
  };
}
