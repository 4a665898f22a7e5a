import pino from "pino";
import type { SignedIn } from "../../packages/server/src/features/accounts/account.ts";
import { makeAccounts } from "../../packages/server/src/features/accounts/accounts.ts";
import { registerAccounts } from "../../packages/server/src/features/accounts/api.ts";
import {
  type AccountGuard,
  makeAccountGuard,
} from "../../packages/server/src/features/accounts/guard.ts";
import { registerProviderRoutes } from "../../packages/server/src/features/accounts/providers/api.ts";
import {
  flowCookieName,
  flowLifetime,
} from "../../packages/server/src/features/accounts/providers/flow.ts";
import type { IdentityProvider } from "../../packages/server/src/features/accounts/providers/provider.ts";
import {
  makeProviderSignIn,
  type ProviderSignIn,
} from "../../packages/server/src/features/accounts/providers/sign-in.ts";
import { makeUserSessions } from "../../packages/server/src/features/accounts/sessions.ts";
import { insertUser } from "../../packages/server/src/features/accounts/store.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import { makeClientOf } from "../../packages/server/src/platform/http/client-address.ts";
import { createHttpServer } from "../../packages/server/src/platform/http/server.ts";
import { sessionCookie } from "../../packages/server/src/platform/http/session-cookie.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { makeTestDatabase } from "./database.ts";
import { startEmail, type TestEmail, testKeyring } from "./email.ts";
import { type TestBrowser, testBrowser } from "./oidc-browser.ts";

/** The site's name, and its address, which only a test browser can resolve. */
export const siteUrl = "https://me.example";
export const callbackUrl = (id: string): string => `${siteUrl}/api/account/oauth/${id}/callback`;

export interface ProviderSite extends AsyncDisposable {
  db: Db;
  clock: FakeClock;
  email: TestEmail;
  signIn: ProviderSignIn;
  guard: AccountGuard;
  /** The address that it listens on. */
  url: string;
  /** The configured providers. */
  providers: IdentityProvider[];
  /** Whether new users can create an account. */
  open: boolean;
  browser(): TestBrowser;
  /** A browser in which a new user is signed in as if with a password. */
  userBrowser(email: string, options?: { password?: boolean }): Promise<SignedIn & TestBrowser>;
  /** The address of the user who is signed in in a browser; null for nobody. */
  who(browser: TestBrowser): Promise<string | null>;
}

/** Sign-in with providers and passwords on a separate site, with a real database and real email. */
export async function startProviderSite(
  options: { providers?: IdentityProvider[]; limitMs?: number; db?: Db } = {},
): Promise<ProviderSite> {
  const own = options.db ? null : await makeTestDatabase();
  const db = options.db ?? own!.database.db;
  // Providers use the real time.
  const clock = fakeClock(Date.now());
  const keyring = testKeyring();
  const testEmail = await startEmail({ db, clock, keyring, baseUrl: siteUrl });
  const config = { baseUrl: siteUrl, limits: defaultLimits };
  const guard = makeAccountGuard({ db, clock, config });
  const sessions = makeUserSessions({ db, clock });
  const signIn = makeProviderSignIn({
    db,
    clock,
    keyring,
    baseUrl: siteUrl,
    cookie: sessionCookie({ baseUrl: siteUrl, name: flowCookieName, lifetimeMs: flowLifetime }),
    providers: async () => site.providers,
    sessions,
    outbox: testEmail.outbox,
    canSignUp: async () => site.open,
    siteName: "A Portfolio",
    // On a busy machine, a correct provider takes its time, too.
    limitMs: options.limitMs ?? 20_000,
  });
  const app = createHttpServer({ log: pino({ level: "silent" }), name: "test", secure: true });
  const clientOf = makeClientOf({ trustedIps: [], trustProxy: ["127.0.0.1"] });
  const frame = { read: async () => null, isPublic: async () => true };
  registerProviderRoutes(app, {
    signIn,
    guard,
    clock,
    config,
    clientOf,
    frame,
    siteName: "A Portfolio",
  });
  const accounts = makeAccounts({
    db,
    clock,
    outbox: testEmail.outbox,
    limits: defaultLimits.accounts,
    siteName: "A Portfolio",
    canSignUp: async () => site.open,
  });
  registerAccounts(app, { accounts, guard, clientOf, config });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });

  const site: ProviderSite = {
    db,
    clock,
    email: testEmail,
    signIn,
    guard,
    url,
    providers: options.providers ?? [],
    open: true,
    browser: () => testBrowser(siteUrl, url),
    async userBrowser(email, { password = true } = {}) {
      const now = isoTime(clock.now());
      const passwordHash = password ? "$argon2id$of-no-password" : null;
      const user = { email, name: "", passwordHash, verifiedAt: now, now };
      const id = await insertUser(db, user);
      if (id === null) throw new Error(`${email} is there already.`);
      const visitor = { address: "127.0.0.1", userAgent: "test" };
      const signedIn = await sessions.start(db, id, { method: "password", visitor });
      const browser = testBrowser(siteUrl, url);
      browser.setCookie(siteUrl, guard.cookie.name, signedIn.cookieValue);
      return { ...signedIn, ...browser };
    },
    async who(browser) {
      const cookie = `${guard.cookie.name}=${browser.cookie(siteUrl, guard.cookie.name)}`;
      return (await guard.find({ headers: { cookie } }))?.user.email ?? null;
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      await testEmail[Symbol.asyncDispose]();
      await own?.cleanup();
    },
  };
  return site;
}
