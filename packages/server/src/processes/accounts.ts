import type { FastifyRequest } from "fastify";
import { makeAccounts } from "../features/accounts/accounts.ts";
import { registerAccounts } from "../features/accounts/api.ts";
import { makeAccountGuard } from "../features/accounts/guard.ts";
import { registerAccountPages } from "../features/accounts/pages.ts";
import { registerProviderRoutes } from "../features/accounts/providers/api.ts";
import { flowCookieName, flowLifetime } from "../features/accounts/providers/flow.ts";
import { makeProviderSignIn } from "../features/accounts/providers/sign-in.ts";
import { makeDeleteAccount } from "../features/accounts/delete-account.ts";
import { sweepAccounts } from "../features/accounts/sweep.ts";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import { registerMembersAdmin } from "../features/members/api.ts";
import type { Members } from "../features/members/members.ts";
import { findMemberPages } from "../features/members/pages.ts";
import { makePageShells } from "../features/release/page-shell.ts";
import type { FindOwnContent } from "../features/release/site/own-content.ts";
import { readProviders } from "../features/settings/identity/identity-settings.ts";
import type { Settings } from "../features/settings/settings.ts";
import { readAccountsSetting } from "../features/settings/site-settings.ts";
import type { ClientOf } from "../platform/http/client-address.ts";
import type { AppServer } from "../platform/http/server.ts";
import { sessionCookie } from "../platform/http/session-cookie.ts";
import type { Outbox } from "../platform/mailer/outgoing-email.ts";
import type { Instance } from "./instance.ts";
import { openMembers } from "./members.ts";
import { repeat } from "./repeat.ts";

/** How often expired data is removed, in ms. */
const sweepIntervalMs = 3_600_000;

interface AccountsDependencies {
  guard: AdminGuard;
  clientOf: ClientOf;
  settings: Settings;
  outbox: Outbox;
}

/** User accounts in the web process. */
export interface AccountsService {
  register(app: AppServer): void;
  /** Content of the site that only this visitor may see. */
  findOwnContent: FindOwnContent;
  start(): void;
  close(): Promise<void>;
}

/** Sign-in with passwords and providers, and the checks for new accounts. */
function makeAuthentication(instance: Instance, { settings, outbox }: AccountsDependencies) {
  const { config, clock, keys, database } = instance;
  const { db } = database;
  const { baseUrl } = config;
  const guard = makeAccountGuard({ db, clock, config });
  const { sessions } = guard;
  const deleteAccount = makeDeleteAccount({
    db,
    outbox,
    get siteName() {
      return config.owner.name;
    },
    onDeleted: (trx, user) => members.onDeleted(trx, user),
  });
  const members: Members = openMembers(instance, { outbox, deleteAccount });
  const readSignUp = async () => (await readAccountsSetting(settings)).signUp;
  const canSignUp = async (email: string) => {
    const mode = await readSignUp();
    return mode === "open" || (mode === "invited" && (await members.isInvited(email)));
  };
  const accounts = makeAccounts({
    db,
    clock,
    outbox,
    limits: config.limits.accounts,
    sessions,
    openLimit: instance.openLimit,
    get siteName() {
      return config.owner.name;
    },
    canSignUp,
    isInvited: members.isInvited,
    onDeleted: members.onDeleted,
    extraPersonalData: members.exportUserData,
  });
  const signIn = makeProviderSignIn({
    db,
    clock,
    keyring: keys.settings,
    baseUrl,
    cookie: sessionCookie({ baseUrl, name: flowCookieName, lifetimeMs: flowLifetime }),
    providers: async () => (await readProviders(settings)).filter(({ enabled }) => enabled),
    sessions,
    outbox,
    canSignUp,
    get siteName() {
      return config.owner.name;
    },
  });
  return { guard, members, accounts, signIn, readSignUp };
}

/** Wires accounts, their pages, and restricted projects together. */
export function openAccounts(instance: Instance, deps: AccountsDependencies): AccountsService {
  const { config, clock, database, log } = instance;
  const { db } = database;
  const { paths, baseUrl, owner, limits } = config;
  const { guard, members, accounts, signIn, readSignUp } = makeAuthentication(instance, deps);
  const { workers } = instance;
  const frame = makePageShells({ paths, address: "/account/", mark: "data-account", workers });
  const environment = async () => {
    const [providers, signUp] = await Promise.all([signIn.list(), readSignUp()]);
    return { siteName: owner.name, timeZone: owner.timeZone, providers, signUp };
  };
  const sweep = async () => {
    await sweepAccounts(db, clock.now());
    await members.sweep();
  };
  const sweeps = repeat(sweep, {
    everyMs: sweepIntervalMs,
    onError: (error) => log.error({ err: error }, "couldn't remove expired account data"),
  });
  return {
    register(app) {
      const { clientOf } = deps;
      const shared = { guard, clientOf, clock, frame };
      registerAccounts(app, { accounts, guard, clientOf, config });
      registerProviderRoutes(app, {
        ...shared,
        signIn,
        config,
        openLimit: instance.openLimit,
        get siteName() {
          return owner.name;
        },
      });
      registerAccountPages(app, {
        ...shared,
        get siteName() {
          return owner.name;
        },
        accounts,
        linking: signIn,
        pageSettings: environment,
        projectsFor: members.projectsFor,
        baseUrl,
        perMinute: limits.publicPerMinute,
      });
      registerMembersAdmin(app, { guard: deps.guard, members });
    },
    findOwnContent: findMemberPages({
      db,
      log,
      paths,
      fetchArtifact: instance.shared?.artifacts.get,
      findUser: guard.find,
      isOwner: async (request: FastifyRequest) => (await deps.guard.findSession(request)) !== null,
      recordVisit: members.recordVisit,
    }),
    start: sweeps.start,
    close: sweeps.close,
  };
}
