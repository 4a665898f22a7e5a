import { countAccounts } from "../features/accounts/count-store.ts";
import { testProvider } from "../features/accounts/providers/try-out.ts";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import { registerAdminLog } from "../features/admin-auth/log/api.ts";
import { registerApiTokens } from "../features/admin-auth/tokens/api.ts";
import { registerModelSettings } from "../features/agent/api.ts";
import { autofixNow } from "../features/qa/fix/autofix.ts";
import { registerSources } from "../features/resources/api.ts";
import { registerSiteSettings } from "../features/settings/api.ts";
import { registerLook } from "../features/settings/look/api.ts";
import { lookDefinition } from "../features/settings/look/look-setting.ts";
import { registerIdentitySettings } from "../features/settings/identity/api.ts";
import { registerMailSettings } from "../features/settings/mail/api.ts";
import type { AppServer } from "../platform/http/server.ts";
import type { Agents } from "./agents.ts";
import type { Instance } from "./instance.ts";
import { openMail, type ProcessMail } from "./mail.ts";
import { followChanges } from "./follow-changes.ts";

interface Parts {
  guard: AdminGuard;
  agents: Agents;
  /** The process's own mail. */
  mail?: ProcessMail;
}

/** Whose site it is, who may sign up and by whom, and whether QA mends unasked. */
function registerSite(app: AppServer, instance: Instance, { guard, agents }: Parts): void {
  const { config, facts, database, clock } = instance;
  const { db } = database;
  const { settings, choice } = agents;
  const follow = followChanges(instance);
  const modelChosen = async () => (await choice.current()) !== null;
  registerSiteSettings(app, {
    guard,
    settings,
    clock,
    config: facts.configured,
    onOwnerChange: (transaction) => follow(transaction, "the owner was changed"),
    ownerChanged: () => facts.look(),
    autofixNow: () => autofixNow({ db, clock, modelChosen }),
    countAccounts: () => countAccounts(db),
  });
  registerLook(app, {
    guard,
    settings,
    content: config.paths.content,
    onLookChange: (transaction) => follow(transaction, lookDefinition.rebuild ?? ""),
  });
  registerIdentitySettings(app, {
    guard,
    settings,
    baseUrl: config.baseUrl,
    testProvider: (provider) => testProvider(provider, { baseUrl: config.baseUrl }),
  });
}

/** What the owner sets, and what is told of the admin's own sign-ins and tokens. */
export function registerSettings(app: AppServer, instance: Instance, parts: Parts): void {
  const { config, database, clock } = instance;
  const { guard, agents } = parts;
  const { db } = database;
  const { settings } = agents;
  const runTokens = config.limits.run.tokens;
  registerModelSettings(app, { ...agents, guard, clock, runTokens });
  const mail = parts.mail ?? openMail(instance, settings);
  registerMailSettings(app, { guard, settings, db, clock, ...mail });
  registerSite(app, instance, parts);
  registerSources(app, { guard, db, clock });
  registerAdminLog(app, { guard, db });
  registerApiTokens(app, { guard, db, clock });
}
