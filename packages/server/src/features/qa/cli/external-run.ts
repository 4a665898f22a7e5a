import type { Readable } from "node:stream";
import { type Command, CommanderError } from "commander";
import { AppError } from "../../../kit/errors.ts";
import { maxId } from "../../../kit/fields.ts";
import { cleanText } from "../../../kit/text.ts";
import { isoTime } from "../../../kit/time.ts";
import type { CliContext } from "../../../platform/cli.ts";
import { readReport } from "./external-report.ts";
import { finishExternalRun, startExternalRun } from "../runs/external-run.ts";
import { maxStoredRuns, findRun } from "../runs/store.ts";
import { serializeRun } from "../serialize.ts";

const maxNameLength = 100;
const maxReasonLength = 500;

function wrongUsage(message: string): CommanderError {
  return new CommanderError(1, "vitrine.wrongUsage", message);
}

function parseRunId(text: string): number {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (id >= 1 && id <= maxId) return id;
  throw wrongUsage("Give the run's ID, a whole number.");
}

function programName(text: string): string {
  const name = cleanText(text);
  if (name !== "" && name.length <= maxNameLength) return name;
  throw wrongUsage(`--program must be a name of 1 to ${maxNameLength} characters.`);
}

function reasonText(text: string): string {
  const reason = cleanText(text, { multiline: true });
  if (reason.length <= maxReasonLength) return reason;
  throw wrongUsage(`--reason must be at most ${maxReasonLength} characters.`);
}

function statusOf(text: string): "finished" | "failed" {
  if (text === "finished" || text === "failed") return text;
  throw wrongUsage("--status must be finished or failed.");
}

/** Registers `qa-start` and `qa-finish`, for programs other than our engine. */
export function registerExternalRunCommands(
  program: Command,
  context: CliContext,
  { stdin }: { stdin: Readable },
): void {
  program
    .command("qa-start")
    .description("start a QA run for an external program; only one runs at a time")
    .option(
      "--program <name>",
      "the program's name; its findings are kept separately",
      programName,
      "external",
    )
    .action(async (options: { program: string }) => {
      const { db } = (await context.open()).database;
      context.print({ run: serializeRun(await startExternalRun(db, options.program)) });
    });
  program
    .command("qa-finish <id>")
    .description("finish an external QA run with its findings as JSON on stdin")
    .option("--status <status>", "finished or failed", statusOf, "finished")
    .option("--reason <text>", "why the run failed", reasonText)
    .action(
      async (
        text: string,
        { status, reason }: { status: "finished" | "failed"; reason?: string },
      ) => {
        const id = parseRunId(text);
        const { db } = (await context.open()).database;
        const row = await findRun(db, id);
        if (row === null) throw new AppError("not_found", "This QA run doesn't exist.");
        const none = { observations: [] };
        const report = status === "finished" ? await readReport(stdin, row.requested_by) : none;
        const at = isoTime(context.clock.now());
        const { run } = await finishExternalRun(db, {
          runId: id,
          status,
          report,
          error: reason,
          at,
          keep: maxStoredRuns,
        });
        context.print({ run: serializeRun(run) });
      },
    );
}
