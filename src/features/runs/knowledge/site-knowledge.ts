import type { PublicProject, SiteKnowledge } from "../../agent/agent.ts";
import { listPublished } from "../../projects/store.ts";
import { projectPath } from "../../release/export.ts";
import type { LiveReleases } from "../../release/site/live-release.ts";
import type { AgentKind } from "../../resources/schema.ts";
import { sourcesFor } from "../../resources/sources.ts";
import { readLook } from "../../settings/look/look-setting.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { agentRecord, projectOnPage, projectsNamed } from "./subject-projects.ts";

/** More addresses than this say nothing more about how the site is laid out. */
const mostRoutes = 300;

async function routesOf(releases: LiveReleases): Promise<string[]> {
  const release = await releases.current();
  if (!release) return [];
  const pages = [...release.files].filter(([, file]) => file.page).map(([path]) => path);
  const byDepth = (a: string, b: string) => a.split("/").length - b.split("/").length;
  return pages.toSorted(byDepth).slice(0, mostRoutes);
}

async function publicProjects(db: Db): Promise<PublicProject[]> {
  const published = await listPublished(db);
  return published
    .filter(({ audience }) => audience === "everyone")
    .map((project) => {
      const { slug, name, summary } = project;
      return { path: projectPath(slug), name, summary, record: agentRecord(project) };
    });
}

/** The records that a run is about: that of the page looked at, and those that the owner names. */
async function subjectRecords(db: Db, pageUrl: string | null, words: string) {
  const subject = await projectOnPage(db, pageUrl);
  const named = (await projectsNamed(db, words)).filter(({ id }) => id !== subject?.id);
  return { record: subject && agentRecord(subject), named: named.map(agentRecord) };
}

/**
 * What an agent should know of the site, seen from the page that the owner looks at. A draft or
 * restricted project is in it only where the page is its own, or `words`, what the owner said without
 * data that goes with it, name it.
 */
export async function siteKnowledge(
  parts: { db: Db; releases: LiveReleases },
  question: { pageUrl: string | null; agents: readonly AgentKind[]; words?: string },
): Promise<SiteKnowledge> {
  const { db, releases } = parts;
  const { pageUrl, agents, words = "" } = question;
  const [subjects, projects, sources, routes, look] = await Promise.all([
    subjectRecords(db, pageUrl, words),
    publicProjects(db),
    sourcesFor(db, ...agents),
    routesOf(releases),
    readLook(db),
  ]);
  return { ...subjects, projects, sources, routes, look };
}
