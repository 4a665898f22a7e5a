import { type LiveSettingsReader, makeLiveSettings } from "../features/settings/live-settings.ts";
import { makeSettings } from "../features/settings/settings.ts";
import { readOwner } from "../features/settings/site-settings.ts";
import type { Clock } from "../kit/clock.ts";
import type { OpenedInstance } from "../platform/cli.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/db/connect.ts";
import type { Log } from "../platform/log.ts";
import type { Keys } from "../platform/secrets.ts";
import { repeat } from "./repeat.ts";

/** How often a process checks for changes by others, in ms. */
const pollIntervalMs = 2000;

/** The owner's current settings: the object's properties are always up to date. */
function liveOwner(liveSettings: LiveSettingsReader): Config["owner"] {
  return {
    get name() {
      return liveSettings.now().owner.name;
    },
    get timeZone() {
      return liveSettings.now().owner.timeZone;
    },
  };
}

/** The owner's current name, for a command that needs it once. */
export async function currentOwnerName(opened: OpenedInstance, clock: Clock): Promise<string> {
  const { config, database, keys } = opened;
  const settings = makeSettings({ db: database.db, keyring: keys.settings, clock });
  return (await readOwner(settings, config)).name;
}

/**
 * Keeps cached site settings up to date. From then on, the configuration's `owner` has the current
 * values; the database's `close` stops this first.
 */
export async function watchLiveSettings(deps: {
  config: Config;
  database: Database;
  keys: Keys;
  clock: Clock;
  log: Log;
}): Promise<{ config: Config; database: Database; liveSettings: LiveSettingsReader }> {
  const { config, database, keys, clock, log } = deps;
  const settings = makeSettings({ db: database.db, keyring: keys.settings, clock });
  const liveSettings = makeLiveSettings({ settings, config });
  let lastError = "";
  const failed = (err: unknown) => {
    // Logged once rather than every two seconds.
    if (String(err) !== lastError) log.error({ err }, "the site's settings can't be read");
    lastError = String(err);
  };
  await liveSettings.refresh().catch(failed);
  const polling = repeat(() => liveSettings.refresh(), {
    everyMs: pollIntervalMs,
    onError: failed,
  });
  polling.start();
  return {
    liveSettings,
    config: { ...config, owner: liveOwner(liveSettings) },
    database: {
      ...database,
      async close() {
        await polling.close();
        await database.close();
      },
    },
  };
}
