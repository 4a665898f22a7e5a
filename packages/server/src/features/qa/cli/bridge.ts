import type { Readable } from "node:stream";
import { type Command, CommanderError } from "commander";
import { AppError } from "../../../kit/errors.ts";
import { maxId } from "../../../kit/fields.ts";
import { cleanText } from "../../../kit/text.ts";
import { isoTime } from "../../../kit/time.ts";
import type { CliContext } from "../../../platform/cli.ts";
import { readReport } from "./outside-report.ts";
import { finishOutside, startOutside } from "../pass/bridge.ts";
import { keptPasses, passById } from "../pass/store.ts";
import { passOf } from "../record.ts";

const longestName = 100;
const longestReason = 500;

function wrongUsage(message: string): CommanderError {
  return new CommanderError(1, "vitrine.wrongUsage", message);
}

function passId(text: string): number {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (id >= 1 && id <= maxId) return id;
  throw wrongUsage("The pass is named by its id, a whole number.");
}

function programName(text: string): string {
  const name = cleanText(text);
  if (name !== "" && name.length <= longestName) return name;
  throw wrongUsage(`--program takes a name of 1 to ${longestName} characters.`);
}

function reasonText(text: string): string {
  const reason = cleanText(text, { multiline: true });
  if (reason.length <= longestReason) return reason;
  throw wrongUsage(`--reason takes at most ${longestReason} characters.`);
}

function statusOf(text: string): "finished" | "failed" {
  if (text === "finished" || text === "failed") return text;
  throw wrongUsage("--status takes finished or failed.");
}

/** Registers `qa-start` and `qa-finish`, by which others than our engine look at the site. */
export function registerBridge(
  program: Command,
  context: CliContext,
  { stdin }: { stdin: Readable },
): void {
  program
    .command("qa-start")
    .description("begin a pass over the site for a program of your own; one runs at a time")
    .option("--program <name>", "what looks: its findings are its own", programName, "outside")
    .action(async (options: { program: string }) => {
      const { db } = (await context.open()).database;
      context.print({ run: passOf(await startOutside(db, options.program)) });
    });
  program
    .command("qa-finish <id>")
    .description("end such a pass; what was found comes as JSON on stdin")
    .option("--status <status>", "finished or failed", statusOf, "finished")
    .option("--reason <text>", "why it failed", reasonText)
    .action(
      async (
        text: string,
        { status, reason }: { status: "finished" | "failed"; reason?: string },
      ) => {
        const id = passId(text);
        const { db } = (await context.open()).database;
        const row = await passById(db, id);
        if (row === null) throw new AppError("not_found", "There is no such pass.");
        const none = { observations: [] };
        const report = status === "finished" ? await readReport(stdin, row.requested_by) : none;
        const at = isoTime(context.clock.now());
        const { pass } = await finishOutside(db, {
          passId: id,
          status,
          report,
          error: reason,
          at,
          keep: keptPasses,
        });
        context.print({ run: passOf(pass) });
      },
    );
}
