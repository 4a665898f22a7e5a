import { dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import { type Command, CommanderError, Option } from "commander";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { CliContext } from "../../platform/cli.ts";
import { exists, writeFileAtomic } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { readManifest } from "../release/artifact/artifact.ts";
import { currentRelease, releasePath } from "../release/swap.ts";
import { readBaseline, writeBaseline } from "./cli/baseline.ts";
import { registerBridge } from "./cli/bridge.ts";
import { lookAtSite, makeProgress } from "./cli/look.ts";
import type { Engine } from "./engine/job.ts";
import { forms } from "./report/export.ts";
import { toJson } from "./report/json.ts";
import { countFindings, type Report } from "./report/report.ts";

/** What the commands need beyond what all have. */
export interface QaCommandParts {
  engine: Engine;
  version: string;
  streams: { stdin: Readable; stdout: Writable; stderr: Writable };
  /** Lets the command end with exit code 1 although it answers. */
  fail(): void;
  /** Calls `listener` once when the user wants to end the command; gives what takes that back. */
  onInterrupt(listener: () => void): () => void;
}

type Form = "json" | "sarif" | "junit" | "pretty";

interface QaOptions {
  format?: Form;
  output?: string;
  browser: boolean;
  external: "all" | "none";
  failOn: "error" | "warning" | "never";
  baseline?: string;
  writeBaseline?: string;
  maxPages?: number;
}

const mostPages = 100_000;

function wrongUsage(message: string): CommanderError {
  return new CommanderError(1, "vitrine.wrongUsage", message);
}

function siteUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw wrongUsage("The site is named by its whole address, such as https://example.com/.");
  }
  if (url.username !== "" || url.password !== "") {
    throw wrongUsage("The site's address takes no name and no password.");
  }
  url.hash = "";
  return url.href;
}

function pageCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= mostPages) return count;
  throw wrongUsage(`--max-pages takes 1 to ${mostPages}.`);
}

function fileName(text: string): string {
  if (text !== "") return text;
  throw wrongUsage("The name of a file is empty.");
}

/** Throws `validation_failed` when a file can't be written where it is named: a look may take long. */
async function assertWritable(option: string, file: string | undefined): Promise<void> {
  if (file === undefined || (await exists(dirname(file)))) return;
  throw new AppError("validation_failed", `The folder of --${option} is not there.`, {
    fields: { [option]: "its folder is not there" },
  });
}

/** Leaves out what a baseline has. */
function without(report: Report, known: ReadonlySet<string>): Report {
  const findings = report.findings.filter(({ fingerprint }) => !known.has(fingerprint));
  return { ...report, findings, known: report.findings.length - findings.length };
}

const gates = { error: ["error"], warning: ["error", "warning"], never: [] } as const;

function isTooMuch(report: Report, failOn: QaOptions["failOn"]): boolean {
  const gate: readonly string[] = gates[failOn];
  return report.findings.some(({ severity }) => gate.includes(severity));
}

async function answer(
  report: Report,
  { format, output }: { format: Form; output: string | undefined },
  { context, parts }: { context: CliContext; parts: QaCommandParts },
): Promise<void> {
  const text = forms[format].write(report);
  if (output !== undefined) {
    await writeFileAtomic(output, text);
    const { site, complete, known } = report;
    context.print({ site, complete, counts: countFindings(report.findings), known, file: output });
  } else if (format === "json") context.print(toJson(report));
  else parts.streams.stdout.write(text);
}

async function look(
  url: string,
  options: QaOptions,
  { context, parts, pretty }: { context: CliContext; parts: QaCommandParts; pretty: boolean },
): Promise<void> {
  const { baseline, failOn, browser, external, maxPages = null, output } = options;
  // Before the look, which may take minutes.
  const known = baseline === undefined ? null : await readBaseline(baseline);
  await assertWritable("output", output);
  await assertWritable("write-baseline", options.writeBaseline);
  const ended = new AbortController();
  const calm = parts.onInterrupt(() =>
    ended.abort(new AppError("unavailable", "It was ended before all was looked at.")),
  );
  const told = makeProgress(parts.streams.stderr, context.clock);
  const progress = pretty ? told.progress : () => {};
  try {
    const deps = { engine: parts.engine, clock: context.clock, version: parts.version };
    const watch = { signal: ended.signal, progress };
    const whole = await lookAtSite(deps, { url, browser, external, maxPages }, watch);
    ended.signal.throwIfAborted();
    const report = known === null ? whole : without(whole, known);
    if (options.writeBaseline !== undefined) {
      const fingerprints = whole.findings.map(({ fingerprint }) => fingerprint);
      const at = isoTime(context.clock.now());
      await writeBaseline(options.writeBaseline, { site: url, at, fingerprints });
    }
    if (pretty) told.end();
    const format = options.format ?? (pretty ? "pretty" : "json");
    await answer(report, { format, output }, { context, parts });
    if (isTooMuch(report, failOn)) parts.fail();
  } finally {
    if (pretty) told.end();
    calm();
  }
}

function registerLook(program: Command, context: CliContext, parts: QaCommandParts): void {
  program
    .command("qa <url>")
    .description("look at any site, without an instance, and say what is wrong with it")
    .addOption(
      new Option("--format <form>", "how it is told; else json, or lines with --pretty").choices([
        "json",
        "sarif",
        "junit",
        "pretty",
      ]),
    )
    .option("--output <file>", "write it there instead", fileName)
    .option("--no-browser", "look at no page in a browser")
    .addOption(
      new Option("--external <which>", "links to other sites")
        .choices(["all", "none"])
        .default("all"),
    )
    .addOption(
      new Option("--fail-on <severity>", "end with exit code 1 from this severity on")
        .choices(["error", "warning", "never"])
        .default("error"),
    )
    .option("--baseline <file>", "leave out what was there when it was written", fileName)
    .option("--write-baseline <file>", "write down what is there now", fileName)
    .option("--max-pages <number>", "how many pages to look at, at most", pageCount)
    .action(async (text: string, options: QaOptions) => {
      const pretty = program.opts<{ pretty?: boolean }>().pretty === true;
      await look(siteUrl(text), options, { context, parts, pretty });
    });
}

/** The paths of the release that the public sees: pages that are none of "not found" and lead nowhere else. */
async function liveRoutes(
  paths: InstancePaths,
): Promise<{ release: number; paths: string[] } | null> {
  const release = await currentRelease(paths);
  if (release === null) return null;
  const { files, redirects = {} } = await readManifest(`${releasePath(paths, release)}.json`);
  const pages = Object.entries(files).flatMap(([path, { type }]) =>
    type.startsWith("text/html") &&
    !Object.hasOwn(redirects, path) &&
    !/^\/404(\.html|\/)$/.test(path)
      ? [path]
      : [],
  );
  return { release, paths: pages.toSorted() };
}

function registerRoutes(program: Command, context: CliContext): void {
  program
    .command("qa-routes")
    .description("the paths of the site that is live, for a program that looks at it")
    .action(async () => {
      const { config } = await context.open();
      const live = await liveRoutes(config.paths);
      if (live === null) return context.nothingToDo({ release: null, paths: [] });
      context.print({ site: config.baseUrl, ...live });
    });
}

/** Registers `qa`, `qa-start`, `qa-finish` and `qa-routes`. */
export function registerQaCommands(
  program: Command,
  context: CliContext,
  parts: QaCommandParts,
): void {
  registerLook(program, context, parts);
  registerBridge(program, context, parts.streams);
  registerRoutes(program, context);
}
