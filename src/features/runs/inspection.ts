import { AppError, toAppError } from "../../kit/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { Artifact } from "../release/builder/build.ts";
import { type BuildReport, buildReport, type RunEvent } from "./schema.ts";
import type { Surroundings } from "./surroundings.ts";

/** How long the checks of one build may take, in ms. */
const longest = 30_000;

/** Pages on which there is nothing to see: such a build is never ready and never goes live. */
export class BlankPages extends AppError {
  readonly pages: readonly string[];

  constructor(pages: readonly string[]) {
    const list = pages.slice(0, 10).join(", ");
    const more = pages.length > 10 ? ` and ${pages.length - 10} more` : "";
    const verb = pages.length === 1 ? "is" : "are";
    super("validation_failed", `There is nothing to see on ${list}${more}: it ${verb} blank.`, {
      details: { pages: pages.slice(0, 100) },
    });
    this.name = "BlankPages";
    this.pages = pages;
  }
}

/** Throws BlankPages for a build that was checked and has some. */
export function assertSeen(report: BuildReport | null): void {
  if (report !== null && report.blank.length > 0) throw new BlankPages(report.blank);
}

async function reportOf(
  inspect: Surroundings["inspect"],
  artifact: Artifact,
  signal: AbortSignal | undefined,
): Promise<BuildReport> {
  const time = AbortSignal.timeout(longest);
  const ended = AbortSignal.any(signal ? [signal, time] : [time]);
  const stop = Promise.withResolvers<never>();
  const onAbort = () => stop.reject(ended.reason);
  ended.addEventListener("abort", onAbort, { once: true });
  try {
    ended.throwIfAborted();
    // An inspector that doesn't hear the signal is not waited for.
    return buildReport.parse(
      await Promise.race([inspect({ artifact, signal: ended }), stop.promise]),
    );
  } finally {
    ended.removeEventListener("abort", onAbort);
  }
}

/**
 * Has a build checked, telling the run's listeners. Gives null when the checks themselves fail or
 * take longer than 30 s: they never stand in the way, the logs say why. Throws the signal's reason.
 */
export async function inspectBuild(
  given: Pick<Surroundings, "inspect"> & {
    log: Log;
    runId: string;
    say: (event: RunEvent) => void;
    signal?: AbortSignal;
  },
  artifact: Artifact,
): Promise<BuildReport | null> {
  const { log, runId, say, signal } = given;
  say({ type: "checks.started", data: {} });
  try {
    const report = await reportOf(given.inspect, artifact, signal);
    say({ type: "checks.done", data: report });
    return report;
  } catch (error) {
    signal?.throwIfAborted();
    log.warn({ err: error, runId }, "a build could not be checked");
    const line = `The checks could not be made: ${toAppError(error).message}`;
    say({ type: "build.log", data: { line } });
    return null;
  }
}
