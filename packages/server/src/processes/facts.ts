import { type LiveFacts, makeLiveFacts } from "../features/settings/live-facts.ts";
import { makeSettings } from "../features/settings/settings.ts";
import { readOwner } from "../features/settings/site-settings.ts";
import type { Clock } from "../kit/clock.ts";
import type { OpenedInstance } from "../platform/cli.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/db/connect.ts";
import type { Log } from "../platform/log.ts";
import type { Keys } from "../platform/secrets.ts";
import { repeat } from "./repeat.ts";

/** How often a process looks whether another one has changed the facts, in ms. */
const lookEveryMs = 2000;

/** The owner as set now: whoever keeps this object reads what holds at that moment. */
function liveOwner(facts: LiveFacts): Config["owner"] {
  return {
    get name() {
      return facts.now().owner.name;
    },
    get timeZone() {
      return facts.now().owner.timeZone;
    },
  };
}

/** The owner's name as set at this moment, for a command that asks once. */
export async function ownerNameNow(opened: OpenedInstance, clock: Clock): Promise<string> {
  const { config, database, keys } = opened;
  const settings = makeSettings({ db: database.db, keyring: keys.settings, clock });
  return (await readOwner(settings, config)).name;
}

/**
 * Follows what is set about the site. The configuration's `owner` reads as set now from then on; the
 * database's `close` ends the following first.
 */
export async function followFacts(parts: {
  config: Config;
  database: Database;
  keys: Keys;
  clock: Clock;
  log: Log;
}): Promise<{ config: Config; database: Database; facts: LiveFacts }> {
  const { config, database, keys, clock, log } = parts;
  const settings = makeSettings({ db: database.db, keyring: keys.settings, clock });
  const facts = makeLiveFacts({ settings, config });
  let said = "";
  const failed = (err: unknown) => {
    // Not every two seconds anew.
    if (String(err) !== said) log.error({ err }, "what is set about the site can't be read");
    said = String(err);
  };
  await facts.look().catch(failed);
  const looks = repeat(() => facts.look(), { everyMs: lookEveryMs, failed });
  looks.start();
  return {
    facts,
    config: { ...config, owner: liveOwner(facts) },
    database: {
      ...database,
      async close() {
        await looks.close();
        await database.close();
      },
    },
  };
}
