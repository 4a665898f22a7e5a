import type { Db } from "../../../platform/db/connect.ts";
import { textBeforeData } from "../../agent/prompts/untrusted-data.ts";
import { filesOf, findMedia } from "../../media/store.ts";
import { filesOfProjects, restrictedFiles } from "../../projects/media-files.ts";
import type { Project } from "../../projects/project.ts";
import { listPublished, listRestricted } from "../../projects/store.ts";
import type { Repository } from "../../workspace/git.ts";
import { committedMentioning } from "../../workspace/mentions.ts";
import { listMessages } from "../message-store.ts";
import type { RunRequest } from "../request-store.ts";
import type { RunRow } from "../store.ts";
import { findNamedProjects, findProjectOnPage } from "./subject-projects.ts";

export interface MediaAccessDependencies {
  db: Db;
  repository: Pick<Repository, "git">;
  row: Pick<RunRow, "id" | "instruction" | "page_url">;
  request: Pick<RunRequest, "attachments">;
}

/** All of the owner's messages in this run, and attached stored files. */
async function readOwnerInput({ db, row, request }: MediaAccessDependencies) {
  const messages = (await listMessages(db, [row.id])).get(row.id) ?? [];
  const ownerText = [textBeforeData(row.instruction), ...messages.map(({ text }) => text)].join(
    "\n",
  );
  const attachments = [request, ...messages].flatMap((input) => input.attachments);
  const ids = attachments.flatMap((one) => (one.use === "page" ? [one.mediaId] : []));
  return { words: ownerText, ids };
}

async function listMediaFiles(db: Db, ids: readonly number[]): Promise<Set<string>> {
  const files = new Set<string>();
  for (const id of ids) {
    const media = await findMedia(db, id);
    if (!media) continue;
    for (const src of filesOf(media)) files.add(src);
  }
  return files;
}

/**
 * Determines which stored files an agent may see: those in public projects or the run's own, those
 * that the owner attached or named, and those mentioned in the site's committed source and never
 * shown by a restricted project. All others belong to drafts, or to nothing.
 */
export function makeMediaAccess(deps: MediaAccessDependencies): (src: string) => Promise<boolean> {
  const { db, repository, row } = deps;
  return async (src) => {
    const { words: ownerText, ids } = await readOwnerInput(deps);
    if (ownerText.includes(src) || (await listMediaFiles(db, ids)).has(src)) return true;
    const published = (await listPublished(db)).filter(({ audience }) => audience === "everyone");
    const subject = await findProjectOnPage(db, row.page_url);
    const shown: Project[] = [...published, ...(await findNamedProjects(db, ownerText))];
    if (subject !== null) shown.push(subject);
    if ((await filesOfProjects(db, shown)).has(src)) return true;
    if ((await restrictedFiles(db, await listRestricted(db))).has(src)) return false;
    return (await committedMentioning(repository, [src])).length > 0;
  };
}
