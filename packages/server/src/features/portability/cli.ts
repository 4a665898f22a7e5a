import type { Writable } from "node:stream";
import type { Command } from "commander";
import { AppError } from "../../kit/errors.ts";
import type { CliContext, OpenedInstance } from "../../platform/cli.ts";
import type { ImportDesk, ImportReport } from "./bring/desk.ts";
import type { ImportOptions } from "./bring/plan.ts";
import type { Exported } from "./give/export.ts";

/** What the commands need beyond what all have. */
export interface PortabilityParts {
  streams: { stdout: Writable; stderr: Writable };
  /** Lets the command end with exit code 1 although it answers. */
  fail(): void;
  /** Loaded when wanted: no other command has to wait for all that an import brings. */
  openDesk(opened: OpenedInstance, onProgress: (line: string) => void): Promise<ImportDesk>;
  exportAll(opened: OpenedInstance, dir: string): Promise<Exported>;
}

interface GivenOptions extends Partial<ImportOptions> {
  yes?: boolean;
}

/** Whether people read along, or a program. */
function isForPeople(program: Command, { stdout }: PortabilityParts["streams"]): boolean {
  return (
    program.opts<{ pretty?: boolean }>().pretty === true ||
    ("isTTY" in stdout && stdout.isTTY === true)
  );
}

async function bring(
  path: string,
  given: GivenOptions,
  { program, context, parts }: { program: Command; context: CliContext; parts: PortabilityParts },
): Promise<void> {
  const { streams } = parts;
  const options: ImportOptions = {
    update: given.update === true,
    draft: given.draft === true,
    withoutSamples: given.withoutSamples === true,
  };
  const people = isForPeople(program, streams);
  const progress = (line: string) => void (people && streams.stderr.write(`${line}\n`));
  const desk = await parts.openDesk(await context.open(), progress);
  let report: ImportReport;
  try {
    report = await desk.import(path, options, given.yes === true);
  } finally {
    await desk.close();
  }
  if (people) {
    const { describeReport } = await import("./bring/words.ts");
    streams.stdout.write(describeReport(report));
  } else context.print(report);
  if (!report.possible) parts.fail();
}

/** Registers `import` and `export`. */
export function registerPortabilityCommands(
  program: Command,
  context: CliContext,
  parts: PortabilityParts,
): void {
  program
    .command("import")
    .argument(
      "<path>",
      "a folder of Markdown case studies, with a resume.json or without, or a JSON Resume",
    )
    .description("bring in your own work; says what it would do, and does it with --yes")
    .option("--yes", "do it: all of it, or nothing where something is wrong")
    .option("--update", "change projects, and a résumé, that are there already")
    .option("--draft", "make new projects drafts, whatever they say")
    .option(
      "--without-samples",
      "delete the sample’s projects and changelog that are still as they were shipped",
    )
    .action((path: string, given: GivenOptions) => bring(path, given, { program, context, parts }));
  program
    .command("export")
    .argument("<dir>", "a new or empty folder")
    .description(
      "write all that is yours into a folder: projects, pictures, résumé, changelog, site",
    )
    .action(async (dir: string) => {
      if (dir === "") throw new AppError("bad_request", "The folder's name is empty.");
      context.print(await parts.exportAll(await context.open(), dir));
    });
}
