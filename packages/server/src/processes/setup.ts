import type { AdminGuard } from "../features/admin-auth/guard.ts";
import { registerSetup } from "../features/setup/api.ts";
import type { AppServer } from "../platform/http/server.ts";
import { templateDir } from "../platform/paths.ts";
import type { Agents } from "./agents.ts";
import type { Instance } from "./instance.ts";
import { makeRebuildRequester } from "./request-rebuild.ts";

/** The set-up's answers; the site owner's name follows them. */
export function registerOwnerSetup(
  app: AppServer,
  instance: Instance,
  { guard, agents }: { guard: AdminGuard; agents: Agents },
): void {
  const { config, database, clock, liveSettings } = instance;
  const follow = makeRebuildRequester(instance);
  registerSetup(app, {
    guard,
    db: database.db,
    clock,
    content: config.paths.content,
    templateDir,
    settings: agents.settings,
    config: liveSettings.configured,
    onOwnerChange: (transaction) => follow(transaction, "the owner was changed"),
    ownerChanged: () => liveSettings.refresh(),
  });
}
