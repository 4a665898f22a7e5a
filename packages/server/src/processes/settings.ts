import { countAccounts } from "../features/accounts/count-store.ts";
import { testProvider } from "../features/accounts/providers/test-provider.ts";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import { registerAdminLog } from "../features/admin-auth/log/api.ts";
import { registerApiTokens } from "../features/admin-auth/tokens/api.ts";
import { registerModelSettings } from "../features/agent/api.ts";
import { autofixNow } from "../features/qa/fix/autofix.ts";
import { registerSources } from "../features/resources/api.ts";
import { registerSiteSettings } from "../features/settings/api.ts";
import { registerTheme } from "../features/settings/theme/api.ts";
import { accountsDefinition } from "../features/settings/site-settings.ts";
import { themeDefinition } from "../features/settings/theme/theme-setting.ts";
import { registerIdentitySettings } from "../features/settings/identity/api.ts";
import { registerEmailSettings } from "../features/settings/email/api.ts";
import type { AppServer } from "../platform/http/server.ts";
import type { Agents } from "./agents.ts";
import type { Instance } from "./instance.ts";
import { openEmail, type EmailServices } from "./email.ts";
import { registerPublishTargets } from "./publish-targets.ts";
import { makeFixFacts } from "./qa.ts";
import { makeRebuildRequester } from "./request-rebuild.ts";

interface SettingsDependencies {
  guard: AdminGuard;
  agents: Agents;
  /** The process's own email services. */
  email?: EmailServices;
}

/** Settings for the owner, sign-up, providers, and automatic QA fixes. */
function registerSite(
  app: AppServer,
  instance: Instance,
  { guard, agents }: SettingsDependencies,
): void {
  const { config, liveSettings, database, clock } = instance;
  const { db } = database;
  const { settings } = agents;
  const follow = makeRebuildRequester(instance);
  registerSiteSettings(app, {
    guard,
    db,
    settings,
    clock,
    config: liveSettings.configured,
    onOwnerChange: (transaction) => follow(transaction, "the owner was changed"),
    onAccountsChange: (transaction) => follow(transaction, accountsDefinition.rebuild ?? ""),
    ownerChanged: () => liveSettings.refresh(),
    autofixNow: () => autofixNow({ db, clock, ...makeFixFacts(instance, agents) }),
    countAccounts: () => countAccounts(db),
  });
  registerTheme(app, {
    guard,
    settings,
    content: config.paths.content,
    onThemeChange: (transaction) => follow(transaction, themeDefinition.rebuild ?? ""),
  });
  registerIdentitySettings(app, {
    guard,
    settings,
    baseUrl: config.baseUrl,
    testProvider: (provider) => testProvider(provider, { baseUrl: config.baseUrl }),
  });
}

/** The owner's settings, the log of admin sign-ins, and tokens. */
export function registerSettings(
  app: AppServer,
  instance: Instance,
  deps: SettingsDependencies,
): void {
  const { config, database, clock } = instance;
  const { guard, agents } = deps;
  const { db } = database;
  const { settings } = agents;
  const runTokens = config.limits.run.tokens;
  registerModelSettings(app, { ...agents, guard, clock, runTokens });
  const { outbox, deliveryWorker: delivery } = deps.email ?? openEmail(instance, settings);
  const follow = makeRebuildRequester(instance);
  registerEmailSettings(app, {
    guard,
    settings,
    db,
    clock,
    outbox,
    delivery,
    onFirstSet: (transaction) => follow(transaction, accountsDefinition.rebuild ?? ""),
  });
  registerSite(app, instance, deps);
  registerPublishTargets(app, instance, deps);
  registerSources(app, { guard, db, clock });
  registerAdminLog(app, { guard, db });
  registerApiTokens(app, { guard, db, clock });
}
