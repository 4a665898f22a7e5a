import { dirname, join } from "node:path";
import { makeLedger } from "../features/agent/ledger/ledger.ts";
import { makeModelChoice } from "../features/agent/model-choice.ts";
import { type Designer, makeDesigner } from "../features/design/designer.ts";
import { makePictures } from "../features/design/pictures.ts";
import { sourcesFor } from "../features/resources/sources.ts";
import { makeSettings } from "../features/settings/settings.ts";
import { mediaFolder } from "../features/workspace/content-paths.ts";
import type { Repository } from "../features/workspace/git.ts";
import type { Instance } from "./instance.ts";

/** How the published site speaks; empty where it says nothing of it. */
async function readVoice(repository: Repository): Promise<string> {
  const args = ["cat-file", "blob", "main:brand/voice.md"];
  const { exitCode, stdout } = await repository.git(args, { exitCodes: [0, 1, 128] });
  return exitCode === 0 ? stdout : "";
}

/** The Drafter and the Web Designer of an instance. */
export function openDesign(instance: Instance, repository: Repository): Designer {
  const { config, clock, database, keys } = instance;
  const { db } = database;
  const settings = makeSettings({ db, keyring: keys.settings, clock });
  return makeDesigner({
    db,
    choice: () => makeModelChoice({ settings, config: config.model }).current(),
    ledger: makeLedger({ db, clock, settings, timeZone: config.owner.timeZone }),
    pictures: makePictures({
      db,
      mediaRoot: dirname(join(config.paths.content, mediaFolder)),
    }),
    sources: (agent) => sourcesFor(db, agent),
    voice: () => readVoice(repository),
  });
}
