import type { TrialMode } from "../features/upgrade/trial.ts";
import type { Config } from "../platform/config.ts";

/**
 * How far a process of a new version on trial may go, from its arguments; null outside of trials.
 * In a trial, nothing is sent, bought, or published, and nothing is repaired or removed.
 */
export function trialMode(args: readonly string[]): TrialMode | null {
  const mode = args.find((arg) => arg.startsWith("--trial="))?.slice("--trial=".length);
  return mode === "build" || mode === "look" ? mode : null;
}

/** The configuration for a process on trial, which is alone: it shares nothing with other nodes. */
export function configFor(trial: TrialMode | null, config: Config): Config {
  return trial === null ? config : { ...config, storage: null };
}
