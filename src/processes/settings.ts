import type { AdminGuard } from "../features/admin-auth/guard.ts";
import { registerModelSettings } from "../features/agent/api.ts";
import { registerSources } from "../features/resources/api.ts";
import { registerMailSettings } from "../features/settings/mail/api.ts";
import { mailRoutes } from "../features/settings/mail/mail-settings.ts";
import type { AppServer } from "../platform/http/server.ts";
import { makeMailer } from "../platform/mailer/mailer.ts";
import type { Agents } from "./agents.ts";
import type { Instance } from "./instance.ts";

/** What the owner sets: the model and its ceilings, how mail leaves, what agents go by. */
export function registerSettings(
  app: AppServer,
  { config, database, clock, log }: Instance,
  parts: { guard: AdminGuard; agents: Agents },
): void {
  const { guard, agents } = parts;
  const { settings } = agents;
  const runTokens = config.limits.run.tokens;
  registerModelSettings(app, { ...agents, guard, clock, runTokens });
  const mailer = makeMailer({ routes: () => mailRoutes(settings), log });
  registerMailSettings(app, { guard, settings, mailer });
  registerSources(app, { guard, db: database.db, clock });
}
