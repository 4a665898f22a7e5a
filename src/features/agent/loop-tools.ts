import type { CallResult, ShownPicture } from "./conversation.ts";
import type { Turn } from "./loop-step.ts";
import type { StepCall } from "./model-step.ts";
import type { ToolReport } from "./tools/toolbox.ts";

const fewSteps = 5;
const mostCalls = 50;

/** The promise, or the signal's reason as soon as it is aborted: no tool holds up a run that is over. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function reportOf({ talk, signal }: Turn, call: StepCall): Promise<ToolReport> {
  const bound = talk.tools.find((tool) => tool.name === call.name);
  if (bound === undefined) {
    return { ok: false, text: `There is no tool ${call.name.slice(0, 60)}.` };
  }
  return unlessAborted(bound.call(call.id, call.input), signal);
}

async function callTool(
  turn: Turn,
  call: StepCall,
): Promise<{ report: ToolReport; notes: string[] }> {
  const { talk, watch, budget } = turn;
  turn.signal.throwIfAborted();
  const note = watch.see(call.name, call.input);
  const report = await reportOf(turn, call);
  if (report.ok && (report.changes?.length ?? 0) > 0) {
    for (const { path } of report.changes ?? []) talk.changed.add(path);
    watch.reset();
  }
  const notes = note === null ? [] : [note];
  if (budget.stepsLeft() <= fewSteps) notes.push(`${budget.stepsLeft()} steps are left.`);
  return { report, notes };
}

/** Runs a step's tools one after the other, as asked, and tells the model what came of it. */
export async function callTools(turn: Turn, calls: readonly StepCall[]): Promise<void> {
  if (calls.length === 0) return;
  const { fence, entries } = turn.talk;
  const results: CallResult[] = [];
  const pictures: ShownPicture[] = [];
  entries.push({ kind: "results", results, pictures });
  for (const [i, call] of calls.entries()) {
    const { id, name } = call;
    if (i >= mostCalls) {
      const text = `Not carried out: an answer may make ${mostCalls} calls.`;
      results.push({ id, name, ok: false, text });
      continue;
    }
    const { report, notes } = await callTool(turn, call);
    const text = [fence.quote(`result of ${name}`, report.text), ...notes].join("\n");
    results.push({ id, name, ok: report.ok, text });
    if (report.ok && report.image !== undefined) {
      const { path, mediaType, bytes } = report.image;
      pictures.push({ name: path, mediaType, bytes });
    }
  }
}
