import type { Db } from "../../../platform/db/connect.ts";
import { pagePath } from "../../agent/routes.ts";
import type { Project } from "../../projects/project.ts";
import { findProject, listNames } from "../../projects/store.ts";
import { projectPath } from "../../release/export.ts";
import { foldName } from "../../release/snapshot.ts";

/** Maximum projects treated as named. */
const maxNamedProjects = 3;

/** Shorter names are ordinary words. */
const minNameCharacters = 4;

/** The project whose page has this address, whatever its status; null for any other page. */
export async function findProjectOnPage(db: Db, pageUrl: string | null): Promise<Project | null> {
  const path = pageUrl === null ? null : pagePath(pageUrl);
  const slug = path?.split("/").at(-1) ?? "";
  if (path === null || `${path}/` !== projectPath(slug)) return null;
  return findProject(db, { slug });
}

/** Whether the text contains this as whole words. */
function mentions(ownerText: string, name: string): boolean {
  if (name.length < minNameCharacters) return false;
  const isLetter = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}]/u.test(character);
  for (let at = ownerText.indexOf(name); at >= 0; at = ownerText.indexOf(name, at + 1)) {
    if (!isLetter(ownerText[at - 1]) && !isLetter(ownerText[at + name.length])) return true;
  }
  return false;
}

/** Whether the text contains this slug: one of several words, or as a page's address. */
function mentionsSlug(ownerText: string, slug: string): boolean {
  if (slug.includes("-") && mentions(ownerText, slug)) return true;
  return mentions(ownerText, projectPath(slug).slice(0, -1));
}

/**
 * The projects that the owner names by name or address, whatever their status: at most three,
 * longest names first. `ownerText` must not include data attached to an instruction.
 */
export async function findNamedProjects(db: Db, ownerText: string): Promise<Project[]> {
  const folded = foldName(ownerText);
  const named = (await listNames(db))
    .map(({ id, name, slug }) => ({ id, name: foldName(name), slug }))
    .filter(({ name, slug }) => mentions(folded, name) || mentionsSlug(folded, slug))
    .toSorted((a, b) => b.name.length - a.name.length)
    .slice(0, maxNamedProjects);
  const projects = await Promise.all(named.map(({ id }) => findProject(db, { id })));
  return projects.filter((project) => project !== null);
}

/**
 * What agents see of a project: fields are listed one by one, so that a new private one stays
 * hidden.
 */
export function toAgentRecord(project: Project) {
  const { id, slug, name, status, audience, summary, lede, body, kind, period, role } = project;
  const { categories, stack, skills, metrics, gallery, reelUrl, updatedAt } = project;
  const texts = { summary, lede, body, kind, period, role, categories, stack, skills, metrics };
  return { id, slug, name, status, audience, ...texts, gallery, reelUrl, updatedAt };
}
