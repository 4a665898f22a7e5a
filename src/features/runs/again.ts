import type { Db } from "../../platform/db/connect.ts";
import { findMessages } from "./message-store.ts";
import { findRequest } from "./request-store.ts";
import type { Attachment, PickedElement } from "./schema.ts";
import { findRun, type RunRow } from "./store.ts";

/** All that the owner has said for one piece of work. */
export interface Words {
  instruction: string;
  elements: PickedElement[];
  attachments: Attachment[];
}

/** As many as one instruction may carry. */
const mostElements = 20;
const mostAttachments = 10;

/** How far back the runs are followed that went on from each other. */
const mostOrigins = 20;

/** A run and those whose work it went on with, the first one first; what is live by now is left out. */
async function lineOf(db: Db, row: RunRow): Promise<RunRow[]> {
  const line = [row];
  let first = row;
  while (line.length < mostOrigins) {
    const { origin } = await findRequest(db, first.id);
    const before = origin?.kind === "continue" ? await findRun(db, origin.runId) : null;
    if (!before || before.status === "published") break;
    line.unshift(before);
    first = before;
  }
  return line;
}

/**
 * What was asked for in a run, in the runs that it went on from, and while they worked: all that has
 * to be said again to have the same done from the beginning.
 */
export async function wordsOf(db: Db, row: RunRow): Promise<Words> {
  const line = await lineOf(db, row);
  const messages = await findMessages(
    db,
    line.map(({ id }) => id),
  );
  const texts: string[] = [];
  const elements: PickedElement[] = [];
  const attachments: Attachment[] = [];
  for (const { id, instruction } of line) {
    const heard = (messages.get(id) ?? []).filter(({ status }) => status === "delivered");
    for (const said of [{ text: instruction, ...(await findRequest(db, id)) }, ...heard]) {
      texts.push(said.text);
      elements.push(...said.elements);
      attachments.push(...said.attachments);
    }
  }
  return {
    instruction: texts.filter((text) => text !== "").join("\n\n"),
    elements: elements.slice(0, mostElements),
    attachments: attachments.slice(0, mostAttachments),
  };
}
