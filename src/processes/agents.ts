import { join } from "node:path";
import type { Agent } from "../features/agent/agent.ts";
import { type Ledger, makeLedger } from "../features/agent/ledger/ledger.ts";
import { makeLiteralEditor } from "../features/agent/literal.ts";
import {
  currencyInUse,
  makeModelChoice,
  type ModelChoice,
} from "../features/agent/model-choice.ts";
import { makeEditor } from "../features/agent/model.ts";
import { makePictures } from "../features/design/pictures.ts";
import { makeBuildChecks } from "../features/qa/build/build-checks.ts";
import { makeLiveReleases } from "../features/release/site/live-release.ts";
import { currentRelease } from "../features/release/swap.ts";
import { pictureOf } from "../features/runs/knowledge/pictures.ts";
import { siteKnowledge } from "../features/runs/knowledge/site-knowledge.ts";
import type { Surroundings } from "../features/runs/surroundings.ts";
import { makeSettings, type Settings } from "../features/settings/settings.ts";
import { mediaFolder } from "../features/workspace/content-paths.ts";
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

/** The Editor as chosen now. */
export async function currentEditor({ choice }: Agents): Promise<Agent> {
  const current = await choice.current();
  return current === null ? makeLiteralEditor() : makeEditor(current);
}

/** What runs get of the rest of the program. */
export function makeSurroundings(
  { config, database, log }: Instance,
  { ledger }: Agents,
  hooks: Pick<Surroundings, "onReady" | "onClosed">,
): Surroundings {
  const { paths, baseUrl } = config;
  const { db } = database;
  const check = makeBuildChecks({ paths, log, baseUrl });
  const releases = makeLiveReleases(paths);
  const pictures = makePictures({ db, mediaRoot: join(paths.content, mediaFolder, "..") });
  return {
    inspect: ({ artifact, signal }) => check({ artifactDir: artifact.dir, signal }),
    siteOf: (question) => siteKnowledge({ db, releases }, question),
    pictureOf: (attachment) => pictureOf({ db, paths, pictures }, attachment),
    ledger,
    ...hooks,
    currentRelease: () => currentRelease(paths),
  };
}
