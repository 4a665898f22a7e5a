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

/** The categories in the order in which the projects name them first. */
export const categories: Category[] = groupByCategory(projects);

export function projectPath(project: { slug: string }): string {
  return `/projects/${project.slug}/`;
}

export function categoryPath(name: string): string {
  return `/projects/category/${slugify(name)}/`;
}

/** The first picture, or the first still of a video; a project may have neither. */
export function coverOf(project: Project): GalleryItem | undefined {
  return project.gallery[0];
}

/** The project after this one, going round; none when it is the only one. */
export function nextProject(project: Project): Project | undefined {
  const index = projects.findIndex((other) => other.slug === project.slug);
  const next = projects[(index + 1) % projects.length];
  return next?.slug === project.slug ? undefined : next;
}

/** A stable fragment for a changelog entry; entries of the same second are told apart by title. */
export function changeId(change: Change): string {
  return `${change.at.slice(0, 19).replace(/[^0-9]/g, "")}-${slugify(change.title).slice(0, 48)}`;
}

function groupByCategory(list: Project[]): Category[] {
  const found = new Map<string, Category>();
  for (const project of list) {
    for (const name of project.categories) {
      const slug = slugify(name);
      const category = found.get(slug) ?? { slug, name, projects: [] };
      if (!category.projects.includes(project)) category.projects.push(project);
      found.set(slug, category);
    }
  }
  return [...found.values()];
}
