import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { assertPictures } from "./beginning.ts";
import { need, type RunsContext } from "./context.ts";
import {
  countWaiting,
  findMessage,
  insertMessage,
  type NewMessage,
  withdrawMessage,
} from "./message-store.ts";
import { activeStatuses, invalidState } from "./run.ts";
import type { RunMessage } from "./schema.ts";
import { findStatus, holdRun } from "./store.ts";

/** How many messages may wait in one run. */
const mostWaiting = 20;

/** Says something to a run that is waited for or worked on. */
export async function sayTo(context: RunsContext, said: NewMessage): Promise<RunMessage> {
  const { runId } = said;
  await need(context, runId);
  await context.ledger.assertOpen();
  await assertPictures(context, said.attachments);
  return context.events.record(runId, async (trx) => {
    if (!(await holdRun(trx, runId, activeStatuses))) {
      const status = await findStatus(trx, runId);
      throw invalidState("spoken to", status ?? "discarded");
    }
    if ((await countWaiting(trx, runId)) >= mostWaiting) {
      throw new AppError("throttled", "Too many messages are waiting.", {
        headers: { "retry-after": "30" },
      });
    }
    const result = await insertMessage(trx, said, isoTime(context.clock.now()));
    const { id, text } = result;
    return { result, events: [{ type: "message.queued", data: { id, text } }] };
  });
}

/** Takes back what no agent has heard yet; doing it again comes to the same. */
export async function withdraw(
  context: RunsContext,
  messageId: number,
): Promise<{ id: number; withdrawn: true }> {
  const message = await findMessage(context.db, messageId);
  if (!message) throw new AppError("not_found", "There is no such message.");
  return context.events.record(message.runId, async (trx) => {
    const result = { id: messageId, withdrawn: true } as const;
    if (await withdrawMessage(trx, messageId)) {
      return { result, events: [{ type: "message.withdrawn", data: { id: messageId } }] };
    }
    const status = (await findMessage(trx, messageId))?.status;
    if (status === "withdrawn") return { result, events: [] };
    throw new AppError("invalid_state", "The agent has heard this already.", {
      details: { status },
    });
  });
}
