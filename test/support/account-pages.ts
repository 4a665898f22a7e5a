import type { Accounts } from "../../packages/server/src/features/accounts/account.ts";
import { makeAccounts } from "../../packages/server/src/features/accounts/accounts.ts";
import { makeAccountGuard } from "../../packages/server/src/features/accounts/guard.ts";
import type { Linking } from "../../packages/server/src/features/accounts/page-views/action.ts";
import type { AccountFrame } from "../../packages/server/src/features/accounts/page-views/frame.ts";
import type {
  OverviewProject,
  ProviderName,
  SignUpMode,
} from "../../packages/server/src/features/accounts/page-views/page.ts";
import { registerAccountPages } from "../../packages/server/src/features/accounts/pages.ts";
import { issueToken } from "../../packages/server/src/features/accounts/tokens.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import { makeClientOf } from "../../packages/server/src/platform/http/client-address.ts";
import {
  type AppServer,
  createHttpServer,
} from "../../packages/server/src/platform/http/server.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { makeTestDatabase } from "./database.ts";
import { type FormBrowser, openFormBrowser } from "./form-browser.ts";
import { startEmail, type TestEmail } from "./email.ts";

export interface AccountPagesOptions {
  baseUrl?: string;
  frame?: AccountFrame;
  providers?: readonly ProviderName[];
  linking?: Linking;
  signUp?: SignUpMode;
  projects?: readonly OverviewProject[];
  perMinute?: number;
  siteName?: string;
  /** Adds routes to the same server. */
  also?(app: AppServer): void;
}

export interface AccountPages extends AsyncDisposable {
  app: AppServer;
  accounts: Accounts;
  db: Db;
  clock: FakeClock;
  email: TestEmail;
  browser(options?: Parameters<typeof openFormBrowser>[1]): FormBrowser;
  /** The path and query of the link in the last email to an address, once it has arrived. */
  lastEmail(to: string): Promise<string>;
  /** A browser with a new user who has signed up, confirmed the address, and signed in. */
  member(who?: { email?: string; password?: string; name?: string }): Promise<FormBrowser>;
  /** The token of an invitation to an address. */
  invite(email: string): Promise<string>;
}

const noFrame: AccountFrame = { read: async () => null, isPublic: async () => false };
const noLinking: Linking = {
  linked: async () => [],
  start: async () => {
    throw new Error("Nothing can be linked here.");
  },
  unlink: async () => {},
};
export const goodPassword = "a horse with a hat";

/** The account pages with real accounts and a real SMTP server; the clock moves only on request. */
export async function startAccountPages(options: AccountPagesOptions = {}): Promise<AccountPages> {
  const { baseUrl = "https://me.example", providers = [], signUp = "open" } = options;
  const { database, cleanup } = await makeTestDatabase();
  const { db } = database;
  const clock = fakeClock();
  const testEmail = await startEmail({ db, clock, baseUrl });
  const { accounts: limits } = defaultLimits;
  const { siteName = "Mara <Lindqvist>" } = options;
  const accounts = makeAccounts({
    db,
    clock,
    outbox: testEmail.outbox,
    limits,
    siteName,
    canSignUp: async () => signUp === "open",
  });
  const log = createLog({ level: "silent", name: "test" });
  const app = createHttpServer({ log, name: "test", secure: baseUrl.startsWith("https:") });
  registerAccountPages(app, {
    accounts,
    linking: options.linking ?? noLinking,
    pageSettings: async () => ({ siteName, timeZone: "Europe/Stockholm", providers, signUp }),
    projectsFor: async () => options.projects ?? [],
    guard: makeAccountGuard({ db, clock, config: { baseUrl } }),
    frame: options.frame ?? noFrame,
    clientOf: makeClientOf({ trustProxy: [], trustedIps: [] }),
    clock,
    baseUrl,
    siteName,
    perMinute: options.perMinute ?? 1000,
  });
  options.also?.(app);
  await app.ready();
  let externalLinks = 0;
  /** Each at an address of its own, so that none is counted for another. */
  const browser: AccountPages["browser"] = (how = {}) =>
    openFormBrowser(app, {
      host: new URL(baseUrl).host,
      remoteAddress: `203.0.113.${(externalLinks += 1)}`,
      ...how,
    });
  async function mailed(to: string): Promise<string> {
    await testEmail.deliver();
    const link = testEmail.last(to)?.links.find((one) => one.startsWith(baseUrl));
    if (link === undefined) throw new Error(`No mail with a link has come for ${to}.`);
    return link.slice(baseUrl.length);
  }
  async function member(who: { email?: string; password?: string; name?: string } = {}) {
    const { email = "kim@example.com", password = goodPassword, name = "Kim" } = who;
    const own = browser();
    await own.visit("/account/new");
    await own.send("/account/signup", { email, password, name });
    await own.visit(await mailed(email));
    await own.send("/account/verify", { password });
    return own;
  }
  return {
    app,
    accounts,
    db,
    clock,
    email: testEmail,
    browser,
    lastEmail: mailed,
    member,
    invite: (email) => {
      const now = clock.now();
      return issueToken(db, { purpose: "invite", email, userId: null, now, lifetimeMs: 3_600_000 });
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      await testEmail[Symbol.asyncDispose]();
      await cleanup();
    },
  };
}
