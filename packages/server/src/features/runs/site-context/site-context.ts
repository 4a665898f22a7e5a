import type { Db } from "../../../platform/db/connect.ts";
import type { PublicProject, SiteContext } from "../../agent/agent.ts";
import { findProject, listPublished } from "../../projects/store.ts";
import { projectPath } from "../../release/export.ts";
import type { LiveReleases } from "../../release/site/live-release.ts";
import type { AgentKind } from "../../resources/schema.ts";
import { sourcesFor } from "../../resources/sources.ts";
import { readAccent, readTheme } from "../../settings/theme/theme-setting.ts";
import { findNamedProjects, findProjectOnPage, toAgentRecord } from "./subject-projects.ts";

/** More addresses than this say nothing more about the site's structure. */
const maxRoutes = 300;

async function listRoutes(releases: LiveReleases): Promise<string[]> {
  const release = await releases.current();
  if (!release) return [];
  const pages = [...release.files].filter(([, file]) => file.page).map(([path]) => path);
  const byDepth = (a: string, b: string) => a.split("/").length - b.split("/").length;
  return pages.toSorted(byDepth).slice(0, maxRoutes);
}

async function listPublicProjects(db: Db): Promise<PublicProject[]> {
  const published = await listPublished(db);
  return published
    .filter(({ audience }) => audience === "everyone")
    .map((project) => {
      const { slug, name, summary } = project;
      return { path: projectPath(slug), name, summary, record: toAgentRecord(project) };
    });
}

/** What a run is about, as far as it determines what its agent should know. */
export interface SiteQuestion {
  pageUrl: string | null;
  agents: readonly AgentKind[];
  /** The owner's words, without attached data. */
  words?: string;
  /** The stored project that the run's task is about, whatever page it names. */
  projectId?: number | null;
}

/**
 * The records that a run is about: its task's project, otherwise the current page's, and those that
 * the owner names.
 */
async function readSubjectRecords(db: Db, { pageUrl, projectId = null, words = "" }: SiteQuestion) {
  const bound = projectId === null ? null : await findProject(db, { id: projectId });
  const subject = bound ?? (await findProjectOnPage(db, pageUrl));
  const named = (await findNamedProjects(db, words)).filter(({ id }) => id !== subject?.id);
  return { record: subject && toAgentRecord(subject), named: named.map(toAgentRecord) };
}

/**
 * What an agent should know about the site, seen from the owner's current page. It contains a draft
 * or restricted project only if the task is about it, the page is its own, or `words` name it.
 */
export async function readSiteContext(
  parts: { db: Db; releases: LiveReleases },
  question: SiteQuestion,
): Promise<SiteContext> {
  const { db, releases } = parts;
  const [subjects, projects, sources, routes, theme, accent] = await Promise.all([
    readSubjectRecords(db, question),
    listPublicProjects(db),
    sourcesFor(db, ...question.agents),
    listRoutes(releases),
    readTheme(db),
    readAccent(db),
  ]);
  return { ...subjects, projects, sources, routes, theme, accent };
}
