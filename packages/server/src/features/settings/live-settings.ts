import type { Settings } from "./settings.ts";
import { type AutofixConfig, type Owner, readAutofix, readOwner } from "./site-settings.ts";

/** Site settings that many parts of a process need. */
export interface LiveSettings {
  owner: Owner;
  autofix: boolean;
}

/** The values in vitrine.json, for settings that aren't set. */
interface Configured extends AutofixConfig {
  owner: Owner;
}

/** Cached settings, for code that can't query the database, such as in a transaction. */
export interface LiveSettingsReader {
  readonly configured: Configured;
  /** The values of the last refresh. */
  now(): LiveSettings;
  /** Reads them again. Those that can't be read keep their value, and the error is thrown. */
  refresh(): Promise<LiveSettings>;
}

/** Starts with the values of vitrine.json; call `refresh` before use and regularly. */
export function makeLiveSettings(options: {
  settings: Pick<Settings, "read">;
  config: Configured;
}): LiveSettingsReader {
  const { settings, config } = options;
  let current: LiveSettings = { owner: config.owner, autofix: config.qa.autofix };
  return {
    configured: config,
    now: () => current,
    async refresh() {
      current = { ...current, owner: await readOwner(settings, config) };
      current = { ...current, autofix: await readAutofix(settings, config) };
      return current;
    },
  };
}
