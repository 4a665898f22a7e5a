import { type Ledger, makeLedger } from "../features/agent/ledger/ledger.ts";
import {
  currencyInUse,
  makeModelChoice,
  type ModelChoice,
  type UsableModel,
  usableModelOf,
} from "../features/agent/model-choice.ts";
import { AppError } from "../kit/errors.ts";
import { makeSettings, type Settings } from "../features/settings/settings.ts";
import type { Instance } from "./instance.ts";

/** What everything that uses a model needs. */
export interface Agents {
  settings: Settings;
  /** The currently selected model, effective immediately; null without one. */
  choice: { current(): Promise<ModelChoice | null> };
  ledger: Ledger;
}

/** The abilities of the selected model; null if the settings can't be read. */
export async function readUsableModel({ choice }: Pick<Agents, "choice">): Promise<UsableModel> {
  try {
    return usableModelOf(await choice.current());
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
    return { canBuild: false, canSee: false };
  }
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
