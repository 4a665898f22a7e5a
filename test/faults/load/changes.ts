import { setTimeout as delay } from "node:timers/promises";
import type { Run } from "../../../packages/server/src/features/runs/schema.ts";
import type { Task } from "../../../packages/server/src/features/tasks/schema.ts";
import { pairInstruction, textInstruction } from "../model.ts";
import { type Actor, attempt, dataOf, type LoadContext, newMark, repeatedly } from "./actor.ts";
import { signInAdmin } from "./visitors.ts";

/** A valid session; null if there is none. */
async function sessionOf(context: LoadContext): Promise<string | null> {
  const { session } = context.journal;
  if (session === "") return signInAdmin(context);
  const headers = { cookie: session };
  const response = await attempt(context, "session", "/api/adminauth/me", { headers });
  if (dataOf(response) !== null) return session;
  return response?.status === 401 ? signInAdmin(context) : null;
}

const openStatuses: ReadonlySet<string> = new Set(["queued", "running", "building"]);

/** Waits until a run has finished; null if the load ended first. */
async function settled(context: LoadContext, runId: string, cookie: string): Promise<Run | null> {
  while (!context.signal.aborted) {
    await delay(250);
    const path = `/devconsole/runs/${runId}`;
    const response = await attempt<Run>(context, "read", path, { headers: { cookie } });
    if (response !== null && [401, 404].includes(response.status)) return null;
    const run = dataOf(response);
    if (run !== null && !openStatuses.has(run.status)) return run;
  }
  return null;
}

/** One change with the console: run, preview, then publish or discard. */
async function change(context: LoadContext): Promise<void> {
  const { journal, random } = context;
  const cookie = await sessionOf(context);
  if (cookie === null) return;
  const headers = { cookie };
  const mark = newMark(random);
  const body = { instruction: pairInstruction(mark), pageUrl: "/" };
  const started = await attempt<{ runId: string }>(context, "run", "/devconsole/run", {
    body,
    headers,
  });
  const runId = dataOf(started)?.runId;
  if (runId === undefined) return;
  journal.runs.add(runId);
  const run = await settled(context, runId, cookie);
  if (run?.status !== "preview_ready") return;
  const isPublish = random.next() < 0.7;
  const name = isPublish ? "publish" : "discard";
  // A publish may build again, which takes long on a busy machine.
  const options = { body: { runId }, headers, timeoutMs: 300_000 };
  const response = await attempt<Run>(context, name, `/devconsole/${name}`, options);
  const status = dataOf(response)?.status;
  if (status === "published") journal.publishes.push({ runId, mark });
  else if (status === "discarded") journal.discards.add(runId);
}

/** Changes the site with the console, one run after another. */
export const consoleRuns: Actor = repeatedly(800, change);

/** The maximum number of waiting tasks; more would only delay the end of the load. */
const maxWaiting = 0;

interface TaskPage {
  items: Task[];
  total: number;
}

/** Queues tasks, and cancels those that wait for review. */
export const tasks: Actor = repeatedly(3000, async (context) => {
  const { journal, random, token } = context;
  const headers = { authorization: `Bearer ${token}` };
  const list = async (status: string): Promise<TaskPage | null> => {
    const path = `/api/admintasks/list?status=${status}`;
    const response = await attempt<TaskPage>(context, "read", path, { headers });
    return dataOf(response);
  };
  for (const { id } of (await list("needs_review"))?.items ?? []) {
    await attempt(context, "cancel", "/api/admintasks/cancel", { body: { id }, headers });
  }
  const waiting = await list("queued");
  if (waiting === null || waiting.total > maxWaiting) return;
  const body = { instruction: textInstruction(newMark(random)), pageUrl: "/" };
  const response = await attempt<Task>(context, "task", "/api/admintasks/create", {
    body,
    headers,
  });
  const task = dataOf(response);
  if (task !== null) journal.tasks.add(task.id);
});

/** Starts a QA run now and then. */
export const makeQaRuns = (maxPauseMs: number): Actor =>
  repeatedly(maxPauseMs, async (context) => {
    const cookie = await sessionOf(context);
    if (cookie === null) return;
    const options = { method: "POST", body: {}, headers: { cookie } };
    await attempt(context, "QA run", "/devconsole/qa/run", options);
  });
