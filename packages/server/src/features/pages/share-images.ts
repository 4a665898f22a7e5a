import { z } from "zod";
import { line } from "../../kit/fields.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Jail } from "../agent/tools/jail.ts";
import { findMediaBySrc, type Media } from "../media/store.ts";
import { altLength } from "../media/schema.ts";
import { listPublished } from "../projects/store.ts";
import { listMovedPages, listWithheldFiles, projectPath } from "../release/export.ts";
import { withMovedShareImages } from "../release/moved-share-images.ts";
import { type Content, listPages, shareFile } from "./page-files.ts";

/*
 * The images that the owner chooses for links to a page: content/share.json has them by the page's
 * path, for pages and projects alike. A project has no field for it, and its address is its key here.
 */

const shareSource = "app/src/lib/share-image.ts";

/** The width in pixels that link previews use; a larger file would only take longer to load. */
const neededWidth = 1200;

/** The public projects with their pages; only these can have their own share image. */
export async function listSharedProjects(db: Db): Promise<{ path: string; name: string }[]> {
  const projects = (await listPublished(db)).filter(({ audience }) => audience === "everyone");
  return projects.map(({ slug, name }) => ({ path: projectPath(slug), name }));
}

/** Whether the site's source uses content/share.json. */
export async function canChooseShareImages(jail: Jail): Promise<boolean> {
  if (!(await jail.exists(shareFile)) || !(await jail.exists(shareSource))) return false;
  return (await jail.readText(shareSource)).includes("share.json");
}

/** The file's content with the images of moved projects at their present addresses. */
export async function presentShareImages(db: Db, content: Content): Promise<Content> {
  return withMovedShareImages(content, await listMovedPages(db));
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
 * drawn image: its key leaves the file, and so do those of the page's former addresses. Only pages and projects that everybody sees, and only stored
 * images that a public build has, can be named.
 */
export async function resolveShareImages(
  { db, site }: { db: Db; site: Jail },
  values: Content,
  before: Content,
): Promise<{ values: Content; faults: Record<string, string> }> {
  const [pages, projects] = [await listPages(site), await listSharedProjects(db)];
  const paths = new Set([...pages, ...projects].map(({ path }) => path));
  const moved = await listMovedPages(db);
  const present = withMovedShareImages(before, moved);
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
  for (const { from, to } of moved)
    if (to in resolved && from in before) resolved[from] = undefined;
  return { values: resolved, faults };
}
