import { type Ledger, makeLedger } from "../features/agent/ledger/ledger.ts";
import {
  currencyInUse,
  makeModelChoice,
  type ModelChoice,
} from "../features/agent/model-choice.ts";
import { makeSettings, type Settings } from "../features/settings/settings.ts";
import type { Instance } from "./instance.ts";

/** What everything that asks a model works with. */
export interface Agents {
  settings: Settings;
  /** The model as chosen now: one that was set a moment ago counts; null without one. */
  choice: { current(): Promise<ModelChoice | null> };
  ledger: Ledger;
}

export function openAgents({ config, database, keys, clock }: Instance): Agents {
  const { db } = database;
  const settings = makeSettings({ db, keyring: keys.settings, clock });
  const runTokens = config.limits.run.tokens;
  const choice = makeModelChoice({ settings, config: config.model });
  const currency = () => currencyInUse(choice);
  return {
    settings,
    choice,
    ledger: makeLedger({ db, clock, settings, owner: config.owner, runTokens, currency }),
  };
}
