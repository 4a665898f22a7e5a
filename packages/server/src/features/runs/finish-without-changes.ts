import { isoTime } from "../../kit/time.ts";
import type { AgentReply, Usage } from "../agent/agent.ts";
import { removeRunFiles } from "./cleanup.ts";
import { discardPredecessors } from "./discard-predecessors.ts";
import { advanceRun, assertNoMessagesWaiting, type Execution } from "./execution.ts";
import { commitSubject } from "./run-change.ts";
import { requireRun, type RunPatch } from "./store.ts";
import type { Progress } from "./workspace-changes.ts";

export function usageColumns(usage: Usage): RunPatch {
  return {
    steps: usage.steps,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cost: usage.cost,
  };
}

/** Files that can't be removed now are removed by a later cleanup. */
async function removeFiles({ deps }: Execution, runId: string): Promise<void> {
  const { artifact_sha: sha } = await requireRun(deps.db, runId);
  await removeRunFiles(deps, runId, sha).catch((error: unknown) =>
    deps.log.warn({ err: error, runId }, "couldn't remove a run's leftovers; will try again"),
  );
}

/**
 * Ends a run without changes: its result is only its message. If it has undone everything that its
 * predecessor had changed, the predecessor's preview is discarded in the same transaction.
 */
export async function finishWithoutChanges(
  execution: Execution,
  reply: AgentReply,
  progress: Progress,
): Promise<void> {
  const { clock, events } = execution.deps;
  const { row } = execution.run;
  const words = reply.summary || "No changes were needed.";
  const at = isoTime(clock.now());
  let discarded: string[] = [];
  await advanceRun(
    execution,
    "running",
    {
      status: "discarded",
      summary: words,
      message: commitSubject(reply.message || words, []),
      finished_at: at,
      ...usageColumns(reply),
    },
    [{ type: "run.finished", data: { status: "discarded", message: words } }],
    async (trx) => {
      await assertNoMessagesWaiting(trx, row.id);
      if (progress !== "taken-back") return;
      discarded = await discardPredecessors(trx, execution, { at, outcome: "taken-back" });
    },
  );
  for (const runId of discarded) {
    events.notify(runId);
    await removeFiles(execution, runId);
  }
}
