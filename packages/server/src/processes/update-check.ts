import { readUpdateCheck } from "../features/settings/site-settings.ts";
import { updateNewestVersion } from "../features/upgrade/newer-version.ts";
import { findSource } from "../features/upgrade/sources.ts";
import type { Environment } from "../platform/config.ts";
import { platformRoot } from "../platform/paths.ts";
import type { Instance } from "./instance.ts";
import { repeat } from "./repeat.ts";

/** How often to look whether a day has passed, in ms. */
const everyMs = 30 * 60_000;

/** Asks daily for newer versions of Vitrine, if the owner has turned that on. */
export function openUpdateCheck({ config, clock, database, log }: Instance, env: Environment) {
  const { paths } = config;
  const ending = new AbortController();
  const { signal } = ending;
  const checks = repeat(
    async () => {
      if (!(await readUpdateCheck(database.db))) return;
      const source = () => findSource({ root: platformRoot, from: null, paths, env, signal });
      await updateNewestVersion(paths, { now: clock.now(), source });
    },
    {
      everyMs,
      runImmediately: true,
      onError: (error) => {
        if (!signal.aborted) log.warn({ err: error }, "newer versions can't be looked up");
      },
    },
  );
  return {
    start: checks.start,
    close() {
      ending.abort(new Error("The runner ends."));
      return checks.close();
    },
  };
}
