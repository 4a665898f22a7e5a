import { access } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { type Command, CommanderError, Option } from "commander";
import { QaError } from "../errors.ts";
import { writeFileAtomic } from "../kit/write-file.ts";
import { formats } from "../report/formats.ts";
import { toJson } from "../report/json.ts";
import { countFindings, type QaReport } from "../report/report.ts";
import type { QaOptions } from "../run-qa.ts";
import { readBaseline, writeBaseline } from "./baseline.ts";
import { makeProgress } from "./progress.ts";

/** What the command needs from the program that contains it. */
export interface QaCommandDependencies {
  run(url: string, options: QaOptions): Promise<QaReport>;
  /** Wall clock and monotonic clock, in ms. */
  clock: { now(): number; monotonic(): number };
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
  /** Whether a person is watching: then progress is shown, and `pretty` is the default format. */
  isPretty(): boolean;
  /** Prints data in the program's JSON format. */
  print(data: unknown): void;
  /** Makes the program exit with code 1 although the command has printed its result. */
  fail(): void;
  /**
   * Calls `listener` once when the user interrupts the command; returns a function that removes the
   * listener.
   */
  onInterrupt(listener: () => void): () => void;
}

type ReportFormat = "json" | "sarif" | "junit" | "html" | "pretty";

/** The options on the command line. */
export interface QaCommandOptions {
  format?: ReportFormat;
  output?: string;
  browser: boolean;
  external: "all" | "none";
  allowPrivate?: boolean;
  failOn: "error" | "warning" | "never";
  baseline?: string;
  writeBaseline?: string;
  maxPages?: number;
}

const maxPageCount = 100_000;

/**
 * Unlike commander's own error for an argument, this one doesn't repeat the input, which may
 * contain a secret.
 */
function wrongUsage(message: string): CommanderError {
  return new CommanderError(2, "vitrine-qa.wrongUsage", message);
}

function siteUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw wrongUsage("Give the site's whole address, such as https://example.com/.");
  }
  if (url.username !== "" || url.password !== "") {
    throw wrongUsage("The site's address can't have a user name or password.");
  }
  url.hash = "";
  return url.href;
}

function pageCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= maxPageCount) return count;
  throw wrongUsage(`--max-pages takes 1 to ${maxPageCount}.`);
}

function fileName(text: string): string {
  if (text !== "") return text;
  throw wrongUsage("Give the file a name.");
}

/**
 * Checks that a file can be written before a run that may take long.
 * @throws AppError `validation_failed` if it can't
 */
async function assertWritable(option: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    await access(dirname(file));
  } catch (cause) {
    const fields = { [option]: "its folder doesn't exist" };
    throw new QaError("validation_failed", `The folder of --${option} doesn't exist.`, {
      fields,
      cause,
    });
  }
}

/** Leaves out the findings of a baseline, whichever version wrote it. */
function withoutBaseline(report: QaReport, known: ReadonlySet<string>): QaReport {
  const findings = report.findings.filter(
    ({ fingerprint, formerly = [] }) => ![fingerprint, ...formerly].some((one) => known.has(one)),
  );
  return { ...report, findings, baselineCount: report.findings.length - findings.length };
}

const failingSeverities = { error: ["error"], warning: ["error", "warning"], never: [] } as const;

function isFailing(report: QaReport, failOn: QaCommandOptions["failOn"]): boolean {
  const failing: readonly string[] = failingSeverities[failOn];
  return report.findings.some(({ severity }) => failing.includes(severity));
}

async function writeReport(
  report: QaReport,
  { format, output }: { format: ReportFormat; output: string | undefined },
  deps: QaCommandDependencies,
): Promise<void> {
  const text = formats[format].write(report);
  if (output !== undefined) {
    await writeFileAtomic(output, text);
    const { site, isComplete, baselineCount } = report;
    const counts = countFindings(report.findings);
    deps.print({ site, isComplete, counts, baselineCount, file: output });
  } else if (format === "json") deps.print(toJson(report));
  else deps.stdout.write(text);
}

/** Whether an address is this machine itself. */
const isLoopback = (url: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);

/** Checks a site as the command does: with progress, baselines, and the report in its place. */
export async function checkSite(
  url: string,
  options: QaCommandOptions,
  deps: QaCommandDependencies,
): Promise<void> {
  const { baseline, failOn, browser, external, maxPages = null, output } = options;
  const pretty = deps.isPretty();
  // Before the run, which may take minutes.
  const known = baseline === undefined ? null : await readBaseline(baseline);
  await assertWritable("output", output);
  await assertWritable("write-baseline", options.writeBaseline);
  const stopped = new AbortController();
  const ignoreInterrupt = deps.onInterrupt(() =>
    stopped.abort(new QaError("unavailable", "Stopped before everything was checked.")),
  );
  const shown = makeProgress(deps.stderr, deps.clock);
  const onProgress = pretty ? shown.progress : () => {};
  try {
    const { signal } = stopped;
    // Whoever checks a site on this machine at a terminal has started it, with all that it refers to.
    const isOwn = deps.stderr.isTTY === true && isLoopback(url);
    const allowPrivate = options.allowPrivate ?? isOwn;
    const screenshots = options.format === "html";
    const given = { browser, external, allowPrivate, maxPages, screenshots };
    const whole = await deps.run(url, { ...given, signal, onProgress });
    signal.throwIfAborted();
    const report = known === null ? whole : withoutBaseline(whole, known);
    if (options.writeBaseline !== undefined) {
      const fingerprints = whole.findings.map(({ fingerprint }) => fingerprint);
      const at = new Date(deps.clock.now()).toISOString();
      await writeBaseline(options.writeBaseline, { site: url, at, fingerprints });
    }
    if (pretty) shown.end();
    const format = options.format ?? (pretty ? "pretty" : "json");
    await writeReport(report, { format, output }, deps);
    if (isFailing(report, failOn)) deps.fail();
  } finally {
    if (pretty) shown.end();
    ignoreInterrupt();
  }
}

/** Adds the argument and options of `checkSite` to a command. */
export function defineQaCommand(
  command: Command,
  action: (url: string, options: QaCommandOptions) => Promise<void>,
): Command {
  return command
    .description("check any website and report its problems; needs no instance")
    .argument("<url>", "the address of its home page", siteUrl)
    .addOption(
      new Option(
        "--format <form>",
        "the format of the report (default: readable lines in a terminal, otherwise JSON)",
      ).choices(["json", "sarif", "junit", "html", "pretty"]),
    )
    .option("--output <file>", "write the report to a file", fileName)
    .option("--no-browser", "check pages without a browser")
    .addOption(
      new Option("--external <which>", "whether to check links to other sites")
        .choices(["all", "none"])
        .default("all"),
    )
    .option(
      "--allow-private",
      "also request addresses that aren't public (only for a site of your own)",
    )
    .addOption(
      new Option(
        "--fail-on <severity>",
        "exit with code 1 if there are findings of this severity or above",
      )
        .choices(["error", "warning", "never"])
        .default("error"),
    )
    .option("--baseline <file>", "leave out the findings of a saved baseline", fileName)
    .option("--write-baseline <file>", "save the findings as a baseline", fileName)
    .option("--max-pages <number>", "the maximum number of pages to check", pageCount)
    .action(action);
}
