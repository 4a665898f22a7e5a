import type { Command } from "commander";
import { AppError } from "../../kit/errors.ts";
import type { CliContext } from "../../platform/cli.ts";
import { type Diagnosis, type DoctorRequest, runDiagnostics } from "./doctor.ts";
import type { InstallResult } from "./install.ts";
import { runRepairs } from "./repair.ts";
import { checkAnswers, type InstallAnswers } from "./steps.ts";

/** What this feature's commands need besides the context. */
export interface InstallCommandDependencies {
  /** The answers if the owner isn't asked. */
  defaults(): InstallAnswers;
  /** Asks the owner each question with its default. */
  ask(questions: { label: string; fallback: string }[]): Promise<string[]>;
  install(answers: InstallAnswers): Promise<InstallResult>;
  /** Calls `work` with what the doctor needs. */
  withDoctor<T>(work: (request: DoctorRequest) => Promise<T>): Promise<T>;
  /** Called with what `doctor --fix` does. */
  report(line: string): void;
  migrate(): Promise<{ applied: string[] }>;
}

async function promptAnswers(
  deps: InstallCommandDependencies,
  defaults: InstallAnswers,
): Promise<InstallAnswers> {
  const [ownerName = "", baseUrl = "", timeZone = ""] = await deps.ask([
    { label: "Your name, as the site shows it", fallback: defaults.ownerName },
    { label: "The site's address", fallback: defaults.baseUrl },
    { label: "Your time zone", fallback: defaults.timeZone },
  ]);
  return { ...defaults, ownerName, baseUrl, timeZone };
}

function summarize(diagnoses: Diagnosis[]): { healthy: boolean; checks: Diagnosis[] } {
  return { healthy: diagnoses.every(({ status }) => status === "ok"), checks: diagnoses };
}

/** Registers `install`, `migrate` and `doctor`. */
export function registerInstallCommands(
  program: Command,
  context: CliContext,
  deps: InstallCommandDependencies,
): void {
  program
    .command("install")
    .description("set up an instance: keys, database, content and first release")
    .option("--yes", "ask no questions and use the defaults")
    .option("--owner <name>", "the site owner's name")
    .option("--base-url <url>", "the site's address")
    .option("--time-zone <zone>", "the owner's time zone, such as Europe/Stockholm")
    .action(
      async (
        options: Record<"owner" | "baseUrl" | "timeZone", string | undefined> & { yes?: true },
      ) => {
        const defaults = deps.defaults();
        const wanted: InstallAnswers = {
          ...defaults,
          ownerName: options.owner ?? defaults.ownerName,
          baseUrl: options.baseUrl ?? defaults.baseUrl,
          timeZone: options.timeZone ?? defaults.timeZone,
        };
        const answers = options.yes ? wanted : await promptAnswers(deps, wanted);
        checkAnswers(answers);
        context.print(await deps.install(answers));
      },
    );
  program
    .command("migrate")
    .description("update the database to the current schema")
    .action(async () => {
      const result = await deps.migrate();
      if (result.applied.length > 0) context.print(result);
      else context.printNothingToDo(result);
    });
  program
    .command("doctor")
    .description("check this machine and the instance, and say how to fix problems")
    .option("--fix", "fix what can be fixed without changing content, then check again")
    .option("--dry-run", "with --fix: only say what would be fixed")
    .action(async ({ fix, dryRun }: { fix?: true; dryRun?: true }) => {
      if (dryRun && !fix) throw new AppError("bad_request", "--dry-run belongs to --fix.");
      const found = await deps.withDoctor(async (request) => {
        const options = { isDryRun: dryRun === true, report: deps.report };
        const repairs = fix ? await runRepairs(request.repairs, options) : undefined;
        return { ...summarize(await runDiagnostics(request)), ...(repairs && { repairs }) };
      });
      const failed = found.checks.filter(({ status }) => status === "failed");
      if (failed.length === 0) return context.print(found);
      const names = failed.map(({ name }) => name).join(", ");
      throw new AppError("unavailable", `These checks failed: ${names}.`, { details: found });
    });
}
