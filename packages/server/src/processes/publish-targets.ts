import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import { registerTargets } from "../features/publish-targets/api.ts";
import { type Deliveries, makeDeliveries } from "../features/publish-targets/deliveries.ts";
import { isForbiddenAddress } from "../platform/checked-fetch.ts";
import type { KindDependencies } from "../features/publish-targets/kinds/target-kind.ts";
import { makeTargets, type Targets, targetsFolder } from "../features/publish-targets/targets.ts";
import type { Clock } from "../kit/clock.ts";
import type { OpenedInstance } from "../platform/cli.ts";
import type { AppServer } from "../platform/http/server.ts";
import { openLock } from "../platform/lock.ts";
import type { Log } from "../platform/log.ts";
import type { Instance } from "./instance.ts";
import { wakeDeliveries } from "./runner-client.ts";

function kindDependencies({ clock, log }: { clock: Clock; log: Log }): KindDependencies {
  return {
    clock,
    log,
    random: Math.random,
    pause: (ms, signal) => delay(ms, undefined, { signal }),
    isForbidden: isForbiddenAddress,
    netlifyUrl: "https://api.netlify.com",
    cloudflareUrl: "https://api.cloudflare.com",
  };
}

/** Has one node at a time send to a target. */
function deliverAmongNodes({ config, shared }: Instance) {
  if (shared === null) return undefined;
  return async (id: number, work: () => Promise<void>) => {
    const local = openLock(join(targetsFolder(config.paths), `${id}.nodes.lock`));
    const lock = shared.lock(`publish target ${id}`, local);
    try {
      await lock.run(work, { waitMs: 0 });
    } finally {
      lock.close();
    }
  };
}

/** Sends releases to the publish targets, in the runner. */
export function openDeliveries(instance: Instance): Deliveries {
  const { config, database, keys, workers } = instance;
  return makeDeliveries({
    db: database.db,
    paths: config.paths,
    keyring: keys.settings,
    workers,
    kinds: kindDependencies(instance),
    baseUrl: config.baseUrl,
    amongNodes: deliverAmongNodes(instance),
  });
}

/** The publish targets, as the owner manages them; `wake`: a delivery may be due. */
export function openTargets(
  { config, database, keys }: OpenedInstance,
  { clock, log, wake }: { clock: Clock; log: Log; wake(): void },
): Targets {
  return makeTargets({
    db: database.db,
    clock,
    paths: config.paths,
    keyring: keys.settings,
    kinds: kindDependencies({ clock, log }),
    wake,
  });
}

/** The routes of publish targets. */
export function registerPublishTargets(
  app: AppServer,
  instance: Instance,
  { guard }: { guard: AdminGuard },
): void {
  const { clock, log } = instance;
  const wake = () => wakeDeliveries(instance);
  registerTargets(app, { guard, targets: openTargets(instance, { clock, log, wake }) });
}
