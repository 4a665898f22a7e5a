import { z } from "zod";
import { line } from "../../kit/fields.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Jail } from "../agent/tools/jail.ts";
import { findMediaBySrc, type Media } from "../media/store.ts";
import { altLength } from "../media/schema.ts";
import { listAll, listPublished } from "../projects/store.ts";
import {
  listMovedPages,
  listWithheldFiles,
  projectIdentity,
  projectPath,
} from "../release/export.ts";
import {
  placeShareImages,
  projectOfShareImage,
  type SharedPages,
} from "../release/moved-share-images.ts";
import { type Content, listPages, shareFile } from "./page-files.ts";

/*
 * The images that the owner chooses for links to a page: content/share.json has them by the page's
 * path, for pages and projects alike. A project has no field for it. Its entry names it besides its
 * address, so that it keeps its image if it moves and another project gets the address.
 */

const shareSource = "app/src/lib/share-image.ts";

/** The width in pixels that link previews use; a larger file would only take longer to load. */
const neededWidth = 1200;

/** The public projects with their pages; only these can have their own share image. */
export async function listSharedProjects(db: Db): Promise<{ path: string; name: string }[]> {
  return (await listPublicProjects(db)).map(({ slug, name }) => ({
    path: projectPath(slug),
    name,
  }));
}

async function listPublicProjects(db: Db) {
  return (await listPublished(db)).filter(({ audience }) => audience === "everyone");
}

async function listSharedPages(db: Db): Promise<SharedPages> {
  const projects = (await listPublicProjects(db)).map((project) => {
    return { path: projectPath(project.slug), identity: projectIdentity(project) };
  });
  return { projects, redirects: await listMovedPages(db) };
}

/** Whether the site's source uses content/share.json. */
export async function canChooseShareImages(jail: Jail): Promise<boolean> {
  if (!(await jail.exists(shareFile)) || !(await jail.exists(shareSource))) return false;
  return (await jail.readText(shareSource)).includes("share.json");
}

/** The file's content with the images of moved projects at their present addresses. */
export async function presentShareImages(db: Db, content: Content): Promise<Content> {
  return placeShareImages(content, await listSharedPages(db));
}

/** The smallest stored file of an image that is wide enough, with its size in pixels. */
function fileFor({ src, width, height, variants }: Media) {
  const wide = variants
    .filter((variant) => variant.width >= neededWidth && variant.width < width)
    .toSorted((one, other) => one.width - other.width)[0];
  if (wide === undefined) return { src, width, height };
  return { src: wide.src, width: wide.width, height: Math.round((height * wide.width) / width) };
}

const choice = z.object({ src: line(500, { min: 1 }), alt: line(altLength) });

interface Choice {
  path: string;
  value: unknown;
  /** The file's entry for this path. */
  before: unknown;
}

/** The file's entry for one value, or an error message. */
function resolveChoice(
  { value, before }: Choice,
  stored: ReadonlyMap<string, Media>,
  withheld: ReadonlySet<string>,
): object | string {
  const { data } = choice.safeParse(value);
  if (data === undefined) return "must have an image and a text of at most 300 characters";
  const { src, alt } = data;
  const old = before as { src?: unknown } | null | undefined;
  if (old?.src === src) return { ...old, alt };
  const media = stored.get(src);
  if (media?.kind !== "image") return "isn’t an image of the library. Choose another";
  if (withheld.has(src)) return "is shown only in restricted projects. Choose another image";
  return { ...fileFor(media), alt };
}

/**
 * The new values of content/share.json, and what is wrong with them by the path. Null goes back to the
 * drawn image: its key leaves the file, and so do those of the page's former addresses. Only pages
 * and projects that everybody sees, and only stored images that a public build has, can be named.
 */
export async function resolveShareImages(
  { db, site }: { db: Db; site: Jail },
  values: Content,
  before: Content,
): Promise<{ values: Content; faults: Record<string, string> }> {
  const [pages, projects] = [await listPages(site), await listSharedProjects(db)];
  const paths = new Set([...pages, ...projects].map(({ path }) => path));
  const pagesShared = await listSharedPages(db);
  const present = placeShareImages(before, pagesShared);
  const choices = Object.entries(values).map(([path, value]) => {
    return { path, value, before: present[path] } satisfies Choice;
  });
  const named = choices.flatMap(({ value }) => {
    const { data } = choice.safeParse(value);
    return data === undefined ? [] : [data.src];
  });
  const [stored, withheld] = [await findMediaBySrc(db, named), await listWithheldFiles(db)];
  const resolved: Content = {};
  const faults: Record<string, string> = {};
  for (const one of choices) {
    const { path, value } = one;
    if (value === null) resolved[path] = undefined;
    else if (!paths.has(path)) faults[path] = "isn’t a page that everybody can see";
    else {
      const result = resolveChoice(one, stored, withheld);
      if (typeof result === "string") faults[path] = result;
      else resolved[path] = result;
    }
  }
  return { values: { ...(await keepOwners(db, { before, resolved, ...pagesShared })) }, faults };
}

interface OwnedChange extends SharedPages {
  before: Content;
  /** The new entries by path; undefined removes one. */
  resolved: Content;
}

/**
 * The new entries with the projects they are for. Entries of a changed page's former addresses are
 * removed, and those of another project that was at its address before move to that one's own.
 */
async function keepOwners(
  db: Db,
  { before, resolved, projects, redirects }: OwnedChange,
): Promise<Content> {
  const identities = new Map(projects.map(({ path, identity }) => [path, identity]));
  const targets = new Map(redirects.map(({ from, to }) => [from, to]));
  const next: Content = {};
  const moving: [string, unknown][] = [];
  for (const [path, entry] of Object.entries(before)) {
    const owner = projectOfShareImage(entry);
    const page = owner === null ? (targets.get(path) ?? path) : pathOf(owner, identities);
    if (page !== undefined && page in resolved) next[path] = undefined;
    else if (owner !== null && path in resolved) moving.push([owner, entry]);
    else if (owner === null && typeof entry === "object" && entry !== null) {
      // Chosen before entries named their project.
      const identity = identities.get(page ?? path);
      if (identity !== undefined) next[path] = { ...entry, project: identity };
    }
  }
  for (const [path, value] of Object.entries(resolved)) {
    const identity = identities.get(path);
    const isNamed = identity !== undefined && typeof value === "object" && value !== null;
    next[path] = isNamed ? { ...value, project: identity } : value;
  }
  const all = moving.length === 0 ? [] : await listAll(db);
  for (const [owner, entry] of moving) {
    const project = all.find((each) => projectIdentity(each) === owner);
    if (project !== undefined) next[projectPath(project.slug)] ??= entry;
  }
  return next;
}

function pathOf(owner: string, identities: ReadonlyMap<string, string | undefined>) {
  return [...identities].find(([, identity]) => identity === owner)?.[0];
}
