import type { Clock } from "../../kit/clock.ts";
import { envelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import type { Config } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import {
  accountsBody,
  accountsView,
  autofixBody,
  autofixTest,
  type AutofixTest,
  autofixView,
  changelogBody,
  changelogView,
  noBody,
  ownerBody,
  ownerTest,
  ownerView,
  tasksBody,
  tasksView,
  updatesBody,
  updatesView,
} from "./schema.ts";
import { readUnattended, unattendedDefinition } from "./queue-setting.ts";
import type { Settings } from "./settings.ts";
import {
  accountsDefinition,
  type AutofixConfig,
  autofixDefinition,
  autofixVariable,
  changelogDefinition,
  ownerDefinition,
  readAccountsSetting,
  readAutofix,
  readChangelogSetting,
  readOwner,
  readUpdateCheck,
  updatesDefinition,
} from "./site-settings.ts";

export interface SiteSettingsDependencies {
  guard: AdminGuard;
  db: Db;
  settings: Settings;
  clock: Pick<Clock, "now">;
  config: Pick<Config, "owner"> & AutofixConfig;
  /** In the transaction that changes the owner: pages that show the name are rebuilt. */
  onOwnerChange(transaction: Db): Promise<unknown>;
  /** After that: processes that cache the name refresh it. */
  ownerChanged(): Promise<unknown>;
  /**
   * In the transaction that changes who can create an account: the site's link to accounts appears
   * or disappears.
   */
  onAccountsChange(transaction: Db): Promise<unknown>;
  /** What would be queued now. */
  autofixNow(): Promise<AutofixTest>;
  countAccounts(): Promise<{ accounts: number; verified: number }>;
}

const described = adminRoute("settings");

function onRequest({ guard }: SiteSettingsDependencies, scope: "read" | "write") {
  return [noStore, guard.requireAdmin(scope)];
}

function describeSource(set: boolean): "settings" | "file" {
  return set ? "settings" : "file";
}

function registerOwner(app: AppServer, deps: SiteSettingsDependencies): void {
  const { settings, config, clock } = deps;
  const url = "/api/adminsettings/owner";
  const response = { 200: envelope(ownerView), ...adminErrorResponses };
  const view = async () => {
    const { set } = await settings.view(ownerDefinition);
    return { ...(await readOwner(settings, config)), from: describeSource(set) };
  };
  app.get(
    url,
    {
      onRequest: onRequest(deps, "read"),
      schema: { ...described, summary: "The site's owner and time zone", response },
    },
    async () => ok(await view()),
  );
  app.post(
    url,
    {
      onRequest: onRequest(deps, "write"),
      schema: { ...described, summary: "Set the site's owner", body: ownerBody, response },
    },
    async (request) => {
      const text = JSON.stringify(request.body);
      await settings.write([[ownerDefinition, text]], deps.onOwnerChange);
      await deps.ownerChanged();
      return ok(await view());
    },
  );
  app.post(
    `${url}/test`,
    {
      onRequest: onRequest(deps, "write"),
      schema: {
        ...described,
        summary: "Preview how a name and a time zone are displayed",
        body: ownerBody,
        response: { 200: envelope(ownerTest), ...adminErrorResponses },
      },
    },
    async ({ body: { name, timeZone } }) => {
      const shown = { dateStyle: "full", timeStyle: "short", timeZone } as const;
      return ok({ name, now: new Intl.DateTimeFormat("en-GB", shown).format(clock.now()) });
    },
  );
}

function registerAccounts(app: AppServer, deps: SiteSettingsDependencies): void {
  const { settings } = deps;
  const url = "/api/adminsettings/accounts";
  const response = { 200: envelope(accountsView), ...adminErrorResponses };
  const view = async () => ({
    ...(await readAccountsSetting(settings)),
    ...(await deps.countAccounts()),
  });
  app.get(
    url,
    {
      onRequest: onRequest(deps, "read"),
      schema: { ...described, summary: "Who can create an account", response },
    },
    async () => ok(await view()),
  );
  app.post(
    url,
    {
      onRequest: onRequest(deps, "write"),
      schema: {
        ...described,
        summary: "Set who can create an account",
        body: accountsBody,
        response,
      },
    },
    async (request) => {
      const text = JSON.stringify(request.body);
      await settings.write([[accountsDefinition, text]], deps.onAccountsChange);
      return ok(await view());
    },
  );
}

function registerAutofix(app: AppServer, deps: SiteSettingsDependencies): void {
  const { settings, config } = deps;
  const url = "/api/adminsettings/autofix";
  const response = { 200: envelope(autofixView), ...adminErrorResponses };
  const view = async () => {
    const { set } = await settings.view(autofixDefinition);
    const variable = autofixVariable(config) ?? null;
    const from = variable === null ? describeSource(set) : ("environment" as const);
    return { enabled: await readAutofix(settings, config), from, variable };
  };
  app.get(
    url,
    {
      onRequest: onRequest(deps, "read"),
      schema: { ...described, summary: "Whether safe fixes are queued automatically", response },
    },
    async () => ok(await view()),
  );
  app.post(
    url,
    {
      onRequest: onRequest(deps, "write"),
      schema: {
        ...described,
        summary: "Set whether safe fixes are queued automatically",
        body: autofixBody,
        response,
      },
    },
    async (request) => {
      const variable = autofixVariable(config);
      if (variable !== undefined) {
        const message = `The environment variable ${variable} sets this. Unset it and restart first.`;
        throw new AppError("invalid_state", message);
      }
      await settings.set(autofixDefinition, JSON.stringify(request.body));
      return ok(await view());
    },
  );
  app.post(
    `${url}/test`,
    {
      onRequest: onRequest(deps, "write"),
      schema: {
        ...described,
        summary: "Count the findings that would be queued now, without queueing them",
        body: noBody,
        response: { 200: envelope(autofixTest), ...adminErrorResponses },
      },
    },
    async () => ok(await deps.autofixNow()),
  );
}

function registerChangelogSetting(app: AppServer, deps: SiteSettingsDependencies): void {
  const { settings, db } = deps;
  const url = "/api/adminsettings/changelog";
  const response = { 200: envelope(changelogView), ...adminErrorResponses };
  app.get(
    url,
    {
      onRequest: onRequest(deps, "read"),
      schema: { ...described, summary: "Which project changes the changelog reports", response },
    },
    async () => ok(await readChangelogSetting(db)),
  );
  app.post(
    url,
    {
      onRequest: onRequest(deps, "write"),
      schema: {
        ...described,
        summary: "Set which project changes the changelog reports from now on",
        body: changelogBody,
        response,
      },
    },
    async (request) => {
      await settings.set(changelogDefinition, JSON.stringify(request.body));
      return ok(await readChangelogSetting(db));
    },
  );
}

function registerTasksSetting(app: AppServer, deps: SiteSettingsDependencies): void {
  const { settings, db } = deps;
  const url = "/api/adminsettings/tasks";
  const response = { 200: envelope(tasksView), ...adminErrorResponses };
  app.get(
    url,
    {
      onRequest: onRequest(deps, "read"),
      schema: {
        ...described,
        summary: "Which queued changes are published without review",
        response,
      },
    },
    async () => ok({ unattended: await readUnattended(db) }),
  );
  app.post(
    url,
    {
      onRequest: onRequest(deps, "write"),
      schema: {
        ...described,
        summary: "Set which queued changes are published without review",
        body: tasksBody,
        response,
      },
    },
    async (request) => {
      await settings.set(unattendedDefinition, request.body.unattended);
      return ok({ unattended: await readUnattended(db) });
    },
  );
}

function registerUpdatesSetting(app: AppServer, deps: SiteSettingsDependencies): void {
  const { settings, db } = deps;
  const url = "/api/adminsettings/updates";
  const response = { 200: envelope(updatesView), ...adminErrorResponses };
  app.get(
    url,
    {
      onRequest: onRequest(deps, "read"),
      schema: { ...described, summary: "Whether newer versions are checked for daily", response },
    },
    async () => ok({ check: await readUpdateCheck(db) }),
  );
  app.post(
    url,
    {
      onRequest: onRequest(deps, "write"),
      schema: {
        ...described,
        summary: "Set whether newer versions are checked for daily",
        body: updatesBody,
        response,
      },
    },
    async (request) => {
      await settings.set(updatesDefinition, JSON.stringify(request.body));
      return ok({ check: await readUpdateCheck(db) });
    },
  );
}

/** Routes for the owner, accounts, automatic QA fixes, changelog entries, the queue, and updates. */
export function registerSiteSettings(app: AppServer, deps: SiteSettingsDependencies): void {
  registerOwner(app, deps);
  registerAccounts(app, deps);
  registerAutofix(app, deps);
  registerChangelogSetting(app, deps);
  registerTasksSetting(app, deps);
  registerUpdatesSetting(app, deps);
}
