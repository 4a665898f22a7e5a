import type { Settings } from "./settings.ts";
import { type AutofixConfig, type Owner, readAutofix, readOwner } from "./site-settings.ts";

/** What is set about the site that many parts of a process go by. */
export interface LiveSettings {
  owner: Owner;
  autofix: boolean;
}

/** What vitrine.json says, for what is not set. */
interface Configured extends AutofixConfig {
  owner: Owner;
}

/** The facts at hand, also within a transaction, where no question can be asked of the database. */
export interface LiveSettingsReader {
  readonly configured: Configured;
  /** As they were when it was last looked. */
  now(): LiveSettings;
  /** Looks again. What can't be read stays as it was, and is thrown. */
  refresh(): Promise<LiveSettings>;
}

/** Begins with what vitrine.json says; `refresh` is to be called before and from time to time. */
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
