import type { SiteKnowledge } from "../../agent/agent.ts";
import { pagePath } from "../../agent/routes.ts";
import { findProject } from "../../projects/store.ts";
import { projectPath } from "../../release/export.ts";
import type { LiveReleases } from "../../release/site/live-release.ts";
import type { AgentKind } from "../../resources/schema.ts";
import { sourcesFor } from "../../resources/sources.ts";
import { readLook } from "../../settings/look/look-setting.ts";
import type { Db } from "../../../platform/db/connect.ts";

/** More addresses than this say nothing more about how the site is laid out. */
const mostRoutes = 300;

/** The record that a page of the site shows, without what its owner keeps private. */
async function recordOn(db: Db, pageUrl: string | null): Promise<unknown> {
  const path = pageUrl === null ? null : pagePath(pageUrl);
  const slug = path?.split("/").at(-1) ?? "";
  if (path === null || `${path}/` !== projectPath(slug)) return null;
  const project = await findProject(db, { slug });
  if (!project) return null;
  const { brief: _brief, ...record } = project;
  return record;
}

async function routesOf(releases: LiveReleases): Promise<string[]> {
  const release = await releases.current();
  if (!release) return [];
  const pages = [...release.files].filter(([, file]) => file.page).map(([path]) => path);
  const byDepth = (a: string, b: string) => a.split("/").length - b.split("/").length;
  return pages.toSorted(byDepth).slice(0, mostRoutes);
}

/** What an agent should know of the site, seen from the page that the owner looks at. */
export async function siteKnowledge(
  parts: { db: Db; releases: LiveReleases },
  question: { pageUrl: string | null; agents: readonly AgentKind[] },
): Promise<SiteKnowledge> {
  const { db, releases } = parts;
  const [record, sources, routes, look] = await Promise.all([
    recordOn(db, question.pageUrl),
    sourcesFor(db, ...question.agents),
    routesOf(releases),
    readLook(db),
  ]);
  return { record, sources, routes, look };
}
