import type { Settings } from "./settings.ts";
import { type Owner, readAutofix, readOwner } from "./site-settings.ts";

/** What is set about the site that many parts of a process go by. */
export interface SiteFacts {
  owner: Owner;
  autofix: boolean;
}

/** What vitrine.json says, for what is not set. */
interface Configured {
  owner: Owner;
  qa: { autofix: boolean };
}

/** The facts at hand, also within a transaction, where no question can be asked of the database. */
export interface LiveFacts {
  readonly configured: Configured;
  /** As they were when it was last looked. */
  now(): SiteFacts;
  /** Looks again. What can't be read stays as it was, and is thrown. */
  look(): Promise<SiteFacts>;
}

/** Begins with what vitrine.json says; `look` is to be called before and from time to time. */
export function makeLiveFacts(options: {
  settings: Pick<Settings, "read">;
  config: Configured;
}): LiveFacts {
  const { settings, config } = options;
  let facts: SiteFacts = { owner: config.owner, autofix: config.qa.autofix };
  return {
    configured: config,
    now: () => facts,
    async look() {
      facts = { ...facts, owner: await readOwner(settings, config) };
      facts = { ...facts, autofix: await readAutofix(settings, config) };
      return facts;
    },
  };
}
