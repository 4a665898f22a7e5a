import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import {
  countWaitingMessages,
  findMessage,
  insertMessage,
  type NewMessage,
  withdrawIfWaiting,
} from "./message-store.ts";
import { findRequest, readsMessages } from "./request-store.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { activeStatuses, invalidStateError } from "./run-status.ts";
import type { RunMessage } from "./schema.ts";
import { assertAttachments } from "./start-run.ts";
import { findStatus, lockRun, requireRun } from "./store.ts";

/** Maximum waiting messages of a run. */
const maxWaitingMessages = 20;

/**
 * Stores a message for the agent of a queued or working run. Throws `invalid_state` if the run is
 * over or reads no messages.
 */
export async function sendMessage(deps: RunDependencies, message: NewMessage): Promise<RunMessage> {
  const { runId } = message;
  const row = await requireRun(deps.db, runId);
  if (!readsMessages(row.kind, await findRequest(deps.db, runId))) {
    throw new AppError(
      "invalid_state",
      "This run doesn't read messages. Send this when the run has finished.",
      { details: { status: row.status } },
    );
  }
  await deps.ledger.assertOpen();
  await assertAttachments(deps, message.attachments);
  return deps.events.record(runId, async (trx) => {
    if (!(await lockRun(trx, runId, activeStatuses))) {
      const status = await findStatus(trx, runId);
      throw invalidStateError("sent messages", status ?? "discarded");
    }
    if ((await countWaitingMessages(trx, runId)) >= maxWaitingMessages) {
      throw new AppError(
        "throttled",
        "Too many messages are waiting. Wait until the agent has read some.",
        {
          headers: { "retry-after": "30" },
        },
      );
    }
    const result = await insertMessage(trx, message, isoTime(deps.clock.now()));
    const { id, text } = result;
    return { result, events: [{ type: "message.queued", data: { id, text } }] };
  });
}

/** Withdraws a message that no agent has read; idempotent. */
export async function withdrawMessage(
  deps: RunDependencies,
  messageId: number,
): Promise<{ id: number; withdrawn: true }> {
  const message = await findMessage(deps.db, messageId);
  if (!message) throw new AppError("not_found", "This message doesn't exist.");
  return deps.events.record(message.runId, async (trx) => {
    const result = { id: messageId, withdrawn: true } as const;
    if (await withdrawIfWaiting(trx, messageId)) {
      return { result, events: [{ type: "message.withdrawn", data: { id: messageId } }] };
    }
    const status = (await findMessage(trx, messageId))?.status;
    if (status === "withdrawn") return { result, events: [] };
    throw new AppError("invalid_state", "The agent has already read this message.", {
      details: { status },
    });
  });
}
