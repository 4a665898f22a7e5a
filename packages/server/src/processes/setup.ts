import type { AdminGuard } from "../features/admin-auth/guard.ts";
import type { SetupState } from "../features/admin-auth/overview-page.ts";
import { viewPassword } from "../features/admin-auth/password/own-password.ts";
import { registerSetup } from "../features/setup/api.ts";
import { registerPages } from "../features/pages/api.ts";
import { openItems, startAddress } from "../features/setup/checklist.ts";
import { type SetupDependencies, viewSetup } from "../features/setup/setup.ts";
import type { AppServer } from "../platform/http/server.ts";
import { templateDir } from "../platform/paths.ts";
import type { Agents } from "./agents.ts";
import { emailState } from "./email.ts";
import type { Instance } from "./instance.ts";
import { makeRebuildRequester } from "./request-rebuild.ts";

function setupDependencies(instance: Instance, agents: Agents): SetupDependencies {
  const { config, database, clock, liveSettings } = instance;
  const follow = makeRebuildRequester(instance);
  return {
    db: database.db,
    clock,
    content: config.paths.content,
    templateDir,
    settings: agents.settings,
    config: liveSettings.configured,
    onOwnerChange: (transaction) => follow(transaction, "the owner was changed"),
    ownerChanged: () => liveSettings.refresh(),
  };
}

/** The setup's answers; the site owner's name follows them. */
export function registerOwnerSetup(
  app: AppServer,
  instance: Instance,
  { guard, agents }: { guard: AdminGuard; agents: Agents },
): void {
  registerSetup(app, { guard, ...setupDependencies(instance, agents) });
}

/** The site's pages as forms. */
export function registerSitePages(
  app: AppServer,
  { config, database }: Instance,
  guard: AdminGuard,
): void {
  registerPages(app, {
    db: database.db,
    guard,
    limits: config.limits.workspace,
    content: config.paths.content,
    templateDir,
  });
}

/** What is left of the setup. */
export async function readSetupState(instance: Instance, agents: Agents): Promise<SetupState> {
  const [view, password, model, mail] = await Promise.all([
    viewSetup(setupDependencies(instance, agents)),
    viewPassword(instance.database.db),
    agents.choice.current(),
    emailState(instance, agents.settings),
  ]);
  const open = openItems(view, {
    hasPassword: password.isSet,
    hasModel: model !== null,
    hasMail: mail.set,
  });
  return { open, start: startAddress(view, password.isSet) };
}
