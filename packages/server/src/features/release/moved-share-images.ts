import type { SnapshotRedirect } from "./snapshot.ts";

/** The public projects and the redirects that determine which page an image is for. */
export interface SharedPages {
  projects: readonly { path: string; identity?: string | undefined }[];
  redirects: readonly SnapshotRedirect[];
}

interface ShareEntry {
  project?: unknown;
}

/** The project that an entry of content/share.json was chosen for; null if it doesn't name one. */
export function projectOfShareImage(entry: unknown): string | null {
  const { project } = (typeof entry === "object" && entry !== null ? entry : {}) as ShareEntry;
  return typeof project === "string" ? project : null;
}

function withoutProject(entry: unknown): unknown {
  if (projectOfShareImage(entry) === null) return entry;
  const { project: _project, ...image } = entry as ShareEntry;
  return image;
}

/**
 * The share images for another instance, whose projects have other identities: there, their addresses
 * determine the page.
 */
export function withoutProjects(chosen: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(chosen).map(([path, entry]) => [path, withoutProject(entry)]),
  );
}

/**
 * The share images by present page path, from content/share.json. An image that names its project
 * follows it, whatever is at the address now, and is left out if the project isn't public. Others
 * belong to the page at their address, or where it redirects to, unless another choice was made
 * there; null is a choice, too. Text that isn't an object is returned unchanged.
 */
export function placeShareImages<T>(chosen: T, { projects, redirects }: SharedPages): T {
  if (typeof chosen !== "object" || chosen === null || Array.isArray(chosen)) return chosen;
  const paths = new Map(projects.map(({ identity, path }) => [identity, path]));
  const images = new Map<string, unknown>();
  const owned = new Map<string, unknown>();
  for (const [path, entry] of Object.entries(chosen)) {
    const project = projectOfShareImage(entry);
    const own = project === null ? undefined : paths.get(project);
    if (project === null) images.set(path, entry);
    else if (own !== undefined && (own === path || !owned.has(own))) owned.set(own, entry);
  }
  for (const { from, to } of redirects) {
    const image = images.get(from);
    if (image !== undefined && !images.has(to)) images.set(to, image);
  }
  for (const [path, entry] of owned) images.set(path, withoutProject(entry));
  return Object.fromEntries(images) as T;
}
