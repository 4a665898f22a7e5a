import { beforeData } from "../../agent/prompts/fence.ts";
import { findMedia } from "../../media/store.ts";
import { filesOfProjects, restrictedFiles } from "../../projects/media-files.ts";
import type { Project } from "../../projects/project.ts";
import { listPublished, listRestricted } from "../../projects/store.ts";
import type { Repository } from "../../workspace/git.ts";
import { committedMentioning } from "../../workspace/mentions.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { findMessages } from "../message-store.ts";
import type { RunRequest } from "../request-store.ts";
import type { RunRow } from "../store.ts";
import { projectOnPage, projectsNamed } from "./subject-projects.ts";

export interface MediaRuleDependencies {
  db: Db;
  repository: Pick<Repository, "git">;
  row: Pick<RunRow, "id" | "instruction" | "page_url">;
  request: Pick<RunRequest, "attachments">;
}

/** All that the owner has said in this run, and the stored files given along. */
async function saidIn({ db, row, request }: MediaRuleDependencies) {
  const messages = (await findMessages(db, [row.id])).get(row.id) ?? [];
  const words = [beforeData(row.instruction), ...messages.map(({ text }) => text)].join("\n");
  const attachments = [request, ...messages].flatMap((said) => said.attachments);
  const ids = attachments.flatMap((one) => (one.use === "page" ? [one.mediaId] : []));
  return { words, ids };
}

async function filesOfMedia(db: Db, ids: readonly number[]): Promise<Set<string>> {
  const files = new Set<string>();
  for (const id of ids) {
    const media = await findMedia(db, id);
    if (!media) continue;
    for (const src of [media.src, media.poster, ...media.variants.map((variant) => variant.src)]) {
      if (src !== null) files.add(src);
    }
  }
  return files;
}

/**
 * Tells which stored files an agent may be shown: those that projects show which everyone sees or the
 * run is about, those that the owner gave along or names, and those that the site's committed source
 * names and no restricted project has shown. Whatever else is stored belongs to drafts, or to nothing.
 */
export function makeMediaRule(deps: MediaRuleDependencies): (src: string) => Promise<boolean> {
  const { db, repository, row } = deps;
  return async (src) => {
    const { words, ids } = await saidIn(deps);
    if (words.includes(src) || (await filesOfMedia(db, ids)).has(src)) return true;
    const published = (await listPublished(db)).filter(({ audience }) => audience === "everyone");
    const subject = await projectOnPage(db, row.page_url);
    const shown: Project[] = [...published, ...(await projectsNamed(db, words))];
    if (subject !== null) shown.push(subject);
    if ((await filesOfProjects(db, shown)).has(src)) return true;
    if ((await restrictedFiles(db, await listRestricted(db))).has(src)) return false;
    return (await committedMentioning(repository, [src])).length > 0;
  };
}
