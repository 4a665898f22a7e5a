import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { findMediaBySrc } from "../../media/store.ts";
import { mediaAddresses } from "../../projects/gallery.ts";
import { restrictedFiles } from "../../projects/media-files.ts";
import { changesByProject, newDrafts, withChanges } from "../../projects/run-changes/change.ts";
import { newMedia } from "../../projects/run-changes/stage-change.ts";
import { listChanges } from "../../projects/run-changes/store.ts";
import { findProject, listRestricted } from "../../projects/store.ts";
import { listMessages } from "../message-store.ts";
import { findRequest } from "../request-store.ts";
import { readOwnerMessages } from "./visible-projects.ts";

/** The IDs of media that the owner has attached to a run and its messages. */
export async function listGivenMedia(db: Db, runId: string): Promise<Set<number>> {
  const messages = (await listMessages(db, [runId])).get(runId) ?? [];
  const inputs = [await findRequest(db, runId), ...messages];
  const attachments = inputs.flatMap((input) => input.attachments);
  return new Set(attachments.flatMap((one) => (one.use === "page" ? [one.mediaId] : [])));
}

/** What a run adds to public projects, including those it publishes. */
async function listPublicMedia(db: Db, runId: string): Promise<string[]> {
  const changes = await listChanges(db, runId);
  const added = newDrafts(changes).flatMap(({ draft }) =>
    draft.status === "published" ? mediaAddresses(draft) : [],
  );
  for (const id of changesByProject(changes).keys()) {
    const present = await findProject(db, { id });
    if (present?.status !== "published" || present.audience !== "everyone") continue;
    added.push(...newMedia(present, withChanges(present, changes)));
  }
  return added;
}

/**
 * Throws `conflict` if a run would make restricted media public: media and projects can be
 * restricted after an agent has used them. What the owner has attached or named is allowed.
 */
export async function assertNoRestrictedMedia(db: Db, runId: string): Promise<void> {
  const added = await listPublicMedia(db, runId);
  if (added.length === 0) return;
  const restricted = await restrictedFiles(db, await listRestricted(db));
  const words = await readOwnerMessages(db, runId);
  const given = await listGivenMedia(db, runId);
  const stored = await findMediaBySrc(db, added);
  const refused = added.filter((src) => {
    const id = stored.get(src)?.id;
    return restricted.has(src) && !words.includes(src) && (id === undefined || !given.has(id));
  });
  if (refused.length === 0) return;
  throw new AppError(
    "conflict",
    `This run would show ${refused.join(", ")} to everyone, although only some people may see it now. Remove it from the change, or name the file in a new instruction.`,
  );
}
