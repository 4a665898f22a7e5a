import type { Db } from "../../platform/db/connect.ts";
import { listMessages } from "./message-store.ts";
import { findRequest } from "./request-store.ts";
import type { Attachment, PickedElement } from "./schema.ts";
import { findRun, type RunRow } from "./store.ts";

/** All instructions of the owner for one piece of work. */
export interface Instructions {
  instruction: string;
  elements: PickedElement[];
  attachments: Attachment[];
}

/** The maximum of one instruction. */
const maxElements = 20;
const maxAttachments = 10;

/** Maximum number of consecutive predecessors. */
const maxAncestors = 20;

/** A run and its unpublished predecessors, the first one first. */
async function listAncestors(db: Db, row: RunRow): Promise<RunRow[]> {
  const line = [row];
  let first = row;
  while (line.length < maxAncestors) {
    const { origin } = await findRequest(db, first.id);
    const before = origin?.kind === "continue" ? await findRun(db, origin.runId) : null;
    if (!before || before.status === "published") break;
    line.unshift(before);
    first = before;
  }
  return line;
}

/** One instruction of the owner with its attachments. */
interface Instruction {
  /** The run that it started; null for a message to a run. */
  startedRun: string | null;
  text: string;
  elements: readonly PickedElement[];
  attachments: readonly Attachment[];
}

/** The instructions and messages of a run and its predecessors, separately and in order. */
export async function listInstructions(db: Db, row: RunRow): Promise<Instruction[]> {
  const line = await listAncestors(db, row);
  const messages = await listMessages(
    db,
    line.map(({ id }) => id),
  );
  const instructions: Instruction[] = [];
  for (const { id, instruction } of line) {
    const delivered = (messages.get(id) ?? []).filter(({ status }) => status === "delivered");
    const first = { startedRun: id, text: instruction, ...(await findRequest(db, id)) };
    instructions.push(first);
    for (const sent of delivered) instructions.push({ startedRun: null, ...sent });
  }
  return instructions;
}

/**
 * The instructions of a run, of its predecessors, and the messages sent to them: what a new run
 * needs to do the same from the beginning.
 */
export async function collectInstructions(db: Db, row: RunRow): Promise<Instructions> {
  const instructions = await listInstructions(db, row);
  const texts = instructions.map(({ text }) => text);
  const elements = instructions.flatMap((input) => input.elements);
  const attachments = instructions.flatMap((input) => input.attachments);
  return {
    instruction: texts.filter((text) => text !== "").join("\n\n"),
    elements: elements.slice(0, maxElements),
    attachments: attachments.slice(0, maxAttachments),
  };
}
