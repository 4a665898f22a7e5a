import { readFile, stat } from "node:fs/promises";
import type { Writable } from "node:stream";
import type { Command } from "commander";
import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import { parseInputJson } from "../../kit/json.ts";
import type { CliContext, OpenedInstance } from "../../platform/cli.ts";
import type { Importer, ImportReport } from "./import/importer.ts";
import type { ImportOptions } from "./import/plan.ts";
import type { ExportResult } from "./export/export.ts";

/** What these commands need in addition to the common dependencies. */
export interface PortabilityDependencies {
  streams: { stdout: Writable; stderr: Writable };
  /** Sets exit code 1 although the command prints a result. */
  fail(): void;
  /** Loaded on demand, so that other commands don't wait for the import's modules. */
  openImporter(opened: OpenedInstance, onProgress: (line: string) => void): Promise<Importer>;
  exportAll(opened: OpenedInstance, dir: string): Promise<ExportResult>;
}

interface ImportCommandOptions extends Partial<Omit<ImportOptions, "choice">> {
  yes?: boolean;
  all?: boolean;
  only?: string[];
  onlyFrom?: string;
  progress?: boolean;
}

/** Whether a person or a program reads the output. */
function isInteractive(program: Command, { stdout }: PortabilityDependencies["streams"]): boolean {
  return (
    program.opts<{ pretty?: boolean }>().pretty === true ||
    ("isTTY" in stdout && stdout.isTTY === true)
  );
}

const choiceSchema = z.array(z.string().max(1000)).max(2000);
const maxChoiceBytes = 4 * 1024 * 1024;

/** The studies that the options select. Throws `bad_request` if the list is invalid. */
async function readChoice({
  all,
  only,
  onlyFrom,
}: ImportCommandOptions): Promise<ImportOptions["choice"]> {
  if (onlyFrom === undefined) return only ?? (all === true ? "all" : "sure");
  const unreadable = (cause?: unknown) =>
    new AppError("bad_request", `${onlyFrom} isn't a JSON list of paths.`, { cause });
  const info = await stat(onlyFrom).catch((cause: unknown) => {
    throw unreadable(cause);
  });
  if (info.size > maxChoiceBytes) throw unreadable();
  const list = choiceSchema.safeParse(parseInputJson(await readFile(onlyFrom, "utf8")));
  if (!list.success) throw unreadable(list.error);
  return list.data;
}

async function runImport(
  path: string,
  input: ImportCommandOptions,
  {
    program,
    context,
    parts: deps,
  }: { program: Command; context: CliContext; parts: PortabilityDependencies },
): Promise<void> {
  const { streams } = deps;
  const options: ImportOptions = {
    update: input.update === true,
    draft: input.draft === true,
    withoutSamples: input.withoutSamples === true,
    choice: await readChoice(input),
    resume: input.resume !== false,
  };
  const users = isInteractive(program, streams);
  const prefix = input.progress === true ? "progress: " : "";
  const isTold = users || input.progress === true;
  const progress = (line: string) => void (isTold && streams.stderr.write(`${prefix}${line}\n`));
  const importer = await deps.openImporter(await context.open(), progress);
  let report: ImportReport;
  try {
    report = await importer.import(path, options, input.yes === true);
  } finally {
    await importer.close();
  }
  if (users) {
    const { formatReport: describeReport } = await import("./import/format.ts");
    streams.stdout.write(describeReport(report));
  } else context.print(report);
  if (!report.possible) deps.fail();
}

/** Registers `import` and `export`. */
export function registerPortabilityCommands(
  program: Command,
  context: CliContext,
  deps: PortabilityDependencies,
): void {
  program
    .command("import")
    .argument("<path>", "a folder of case studies, such as a site's repository, or a JSON Resume")
    .description("import your own work; shows the plan unless --yes is given")
    .option("--yes", "import; files that can't be read are skipped and listed")
    .option("--all", "also import files that may not be case studies")
    .option("--only <files...>", "import only these case studies, by their paths in the folder")
    .option("--no-resume", "don't import a résumé found with the case studies")
    .option("--only-from <file>", "like --only, from a file with a JSON list of paths")
    .option("--progress", "print progress to stderr, line by line")
    .option("--update", "update projects and a résumé that already exist")
    .option("--draft", "import new projects as drafts, whatever their status")
    .option("--without-samples", "delete unchanged sample projects and changelog entries")
    .action((path: string, input: ImportCommandOptions) =>
      runImport(path, input, { program, context, parts: deps }),
    );
  program
    .command("export")
    .argument("<dir>", "a new or empty folder")
    .description("export everything to a folder: projects, images, résumé, changelog, site")
    .action(async (dir: string) => {
      if (dir === "") throw new AppError("bad_request", "The folder's name is empty.");
      context.print(await deps.exportAll(await context.open(), dir));
    });
}
