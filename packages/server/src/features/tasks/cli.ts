import { hostname } from "node:os";
import { type Command, CommanderError } from "commander";
import { maxId } from "../../kit/fields.ts";
import { cleanText } from "../../kit/text.ts";
import { ulidPattern } from "../../kit/ulid.ts";
import type { CliContext, OpenedInstance } from "../../platform/cli.ts";
import { assertNoHandEdits } from "../release/hand-edits.ts";
import { makeRepository, type Repository } from "../workspace/git.ts";
import { claimNext, renewClaim } from "./queue/claim.ts";
import { type Finish, finishTask, claimLostError, anonymousWorker } from "./finish.ts";
import { serializeTasks } from "./board/serialize-task.ts";
import type { Task } from "./schema.ts";
import type { TaskRow } from "./store.ts";

/** In seconds: a person, or a program that renews its claim, may be silent for this long. */
const leaseBounds = { usual: 3600, least: 10, most: 24 * 3600 };
const maxNameLength = 80;
const maxReasonLength = 2000;

function wrongUsage(message: string): CommanderError {
  return new CommanderError(1, "vitrine.wrongUsage", message);
}

function taskId(text: string): number {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (id >= 1 && id <= maxId) return id;
  throw wrongUsage("Give the task's ID, a whole number.");
}

function leaseSeconds(text: string): number {
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds >= leaseBounds.least && seconds <= leaseBounds.most) return seconds;
  throw wrongUsage(`--lease must be ${leaseBounds.least} to ${leaseBounds.most} seconds.`);
}

/** Runners are identified by their IDs: no other worker may use such a name. */
function workerName(text: string): string {
  const name = cleanText(text);
  if (name !== "" && name.length <= maxNameLength && !ulidPattern.test(name)) return name;
  throw wrongUsage(`--worker must be a name of 1 to ${maxNameLength} characters.`);
}

function claimToken(text: string): string {
  if (/^[\w-]{1,100}$/.test(text)) return text;
  throw wrongUsage("--claim must be the claim token from tasks-next.");
}

function commitId(text: string): string {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) return text;
  throw wrongUsage("--commit must be a full commit ID of 40 or 64 hex digits.");
}

function reasonText(text: string): string {
  const reason = cleanText(text, { multiline: true });
  if (reason.length <= maxReasonLength) return reason;
  throw wrongUsage(`--reason must be at most ${maxReasonLength} characters.`);
}

interface TaskCommands {
  ownerName(opened: OpenedInstance): Promise<string>;
}

interface FinishOptions {
  claim: string;
  status: string;
  commit?: string;
  reason?: string;
}

function finishOf({ status, commit, reason = "" }: FinishOptions): Finish {
  if (status === "published") {
    if (commit === undefined) throw wrongUsage("--status published needs --commit.");
    return { status, commit, reason };
  }
  if (commit !== undefined) throw wrongUsage("--commit can be used only with --status published.");
  if (status !== "reverted" && status !== "failed" && status !== "queued") {
    throw wrongUsage("--status must be published, reverted, failed or queued.");
  }
  return { status, reason: reason || "Its worker gave no reason." };
}

/** Runs `work` with the instance's content repository. */
async function withRepository<T>(
  { config }: OpenedInstance,
  log: CliContext["log"],
  work: (repository: Repository) => Promise<T>,
): Promise<T> {
  const { content: contentDir, workspaces: workspacesDir } = config.paths;
  const repository = makeRepository({ contentDir, workspacesDir, log });
  try {
    return await work(repository);
  } finally {
    repository.close();
  }
}

async function toResponse({ config, database }: OpenedInstance, row: TaskRow): Promise<Task> {
  const [task] = await serializeTasks(database.db, [row], config.limits.tasks.attempts);
  if (!task) throw new Error("A task without its record.");
  return task;
}

function registerNext(program: Command, context: CliContext): void {
  program
    .command("tasks-next")
    .description("claim the next queued task, for an external worker")
    .option("--worker <name>", "the worker's name", workerName)
    .option(
      "--lease, --lease-seconds <seconds>",
      "how long the claim lasts without renewal, in seconds",
      leaseSeconds,
      leaseBounds.usual,
    )
    .action(
      async ({
        worker: requestedWorker,
        leaseSeconds: seconds,
      }: {
        worker?: string;
        leaseSeconds: number;
      }) => {
        const worker = requestedWorker ?? anonymousWorker(hostname());
        const instance = await context.open();
        await withRepository(instance, context.log, (repository) =>
          assertNoHandEdits(repository, instance.config.paths),
        );
        const claim = await claimNext(instance.database.db, { worker, leaseMs: seconds * 1000 });
        if (claim === null) return context.printNothingToDo({ task: null });
        const task = await toResponse(instance, claim.task);
        context.print({ task, claim: claim.token, leaseExpiresAt: claim.leaseExpiresAt });
      },
    );
}

function registerRenew(program: Command, context: CliContext): void {
  program
    .command("tasks-renew <id>")
    .description("renew the lease of a claimed task")
    .requiredOption("--claim <token>", "the claim token from tasks-next", claimToken)
    .action(async (text: string, { claim: token }: { claim: string }) => {
      const id = taskId(text);
      const { db } = (await context.open()).database;
      const leaseExpiresAt = await renewClaim(db, { taskId: id, token });
      if (leaseExpiresAt === null) throw await claimLostError(db, id);
      context.print({ id, leaseExpiresAt });
    });
}

function registerFinish(program: Command, context: CliContext, { ownerName }: TaskCommands): void {
  program
    .command("tasks-finish <id>")
    .description("finish a claimed task")
    .requiredOption("--claim <token>", "the claim token from tasks-next", claimToken)
    .requiredOption("--status <status>", "published, reverted, failed or queued")
    .option("--commit <id>", "the published commit on main", commitId)
    .option("--reason <text>", "a reason or summary to show to the owner", reasonText)
    .action(async (text: string, options: FinishOptions) => {
      const key = { taskId: taskId(text), token: options.claim };
      const finish = finishOf(options);
      const instance = await context.open();
      const name = await ownerName(instance);
      const row = await withRepository(instance, context.log, (repository) =>
        finishTask(
          {
            db: instance.database.db,
            clock: context.clock,
            repository,
            maxAttempts: instance.config.limits.tasks.attempts,
            ownerName: name,
          },
          key,
          finish,
        ),
      );
      context.print({ task: await toResponse(instance, row) });
    });
}

/**
 * Registers `tasks-next`, `tasks-renew`, and `tasks-finish`, for workers other than runners.
 * `ownerName` returns the current name.
 */
export function registerTaskCommands(
  program: Command,
  context: CliContext,
  options: TaskCommands,
): void {
  registerNext(program, context);
  registerRenew(program, context);
  registerFinish(program, context, options);
}
