import snapshot from "@snapshot";
import type { Change, GalleryItem, Project } from "./snapshot.ts";
import { slugify } from "./slug.ts";

/** Everything the pages know about records comes through this file. */

export interface Category {
  slug: string;
  name: string;
  projects: Project[];
}

export const projects: Project[] = snapshot.projects;
export const changes: Change[] = snapshot.changelog;
export const timeZone: string = snapshot.site.timeZone;
/** Marks of the names of the projects that this build is not to show. */
export const hiddenNames: ReadonlySet<string> = new Set(snapshot.hiddenNames ?? []);
/** Whether there is anything to sign in for. */
export const accounts: boolean = snapshot.site.accounts ?? false;

/** The categories in the order in which the projects name them first. */
export const categories: Category[] = groupByCategory(projects);

export function projectPath(project: { slug: string }): string {
  return `/projects/${project.slug}/`;
}

export function categoryPath(name: string): string {
  return `/projects/category/${slugify(name)}/`;
}

/** The first image, or the first still of a video; a project may have neither. */
export function coverOf(project: Project): GalleryItem | undefined {
  return project.gallery[0];
}

const places = new Map(projects.map((project, index) => [project.slug, index]));

/** The project after this one, going round; none when it is the only one. */
export function nextProject(project: Project): Project | undefined {
  const index = places.get(project.slug) ?? -1;
  const next = projects[(index + 1) % projects.length];
  return next?.slug === project.slug ? undefined : next;
}

const changeIds = nameChanges(changes);

/**
 * A stable fragment for a changelog entry; entries of the same second are told apart by title, and
 * those of the same title by their number from the oldest on.
 */
export function changeId(change: Change): string {
  return changeIds.get(change) ?? fragmentOf(change);
}

function fragmentOf(change: Change): string {
  return `${change.at.slice(0, 19).replace(/[^0-9]/g, "")}-${slugify(change.title).slice(0, 48)}`;
}

function nameChanges(newestFirst: Change[]): Map<Change, string> {
  const names = new Map<Change, string>();
  const taken = new Map<string, number>();
  for (const change of newestFirst.toReversed()) {
    const fragment = fragmentOf(change);
    let name = fragment;
    let number = taken.get(fragment) ?? 1;
    while (taken.has(name)) {
      number += 1;
      name = `${fragment}-${number}`;
    }
    taken.set(name, 1);
    taken.set(fragment, number);
    names.set(change, name);
  }
  return names;
}

function groupByCategory(list: Project[]): Category[] {
  const found = new Map<string, Category>();
  for (const project of list) {
    for (const name of project.categories) {
      const slug = slugify(name);
      const category = found.get(slug) ?? { slug, name, projects: [] };
      // Two names of one project may mean the same category; it was then the last to come.
      if (category.projects.at(-1) !== project) category.projects.push(project);
      found.set(slug, category);
    }
  }
  return [...found.values()];
}
