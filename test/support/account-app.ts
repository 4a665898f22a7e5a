import { argon2 } from "node:crypto";
import { promisify } from "node:util";
import { PassThrough } from "node:stream";
import { request } from "undici";
import type { Accounts, User } from "../../packages/server/src/features/accounts/account.ts";
import { makeAccounts } from "../../packages/server/src/features/accounts/accounts.ts";
import { registerAccounts } from "../../packages/server/src/features/accounts/api.ts";
import {
  type AccountGuard,
  makeAccountGuard,
} from "../../packages/server/src/features/accounts/guard.ts";
import { type Compute, makeHasher } from "../../packages/server/src/features/accounts/hasher.ts";
import type { UserSessions } from "../../packages/server/src/features/accounts/sessions.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import {
  type ClientOf,
  makeClientOf,
} from "../../packages/server/src/platform/http/client-address.ts";
import {
  type AppServer,
  createHttpServer,
} from "../../packages/server/src/platform/http/server.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import type { Answer } from "./admin-session.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { makeTestDatabase } from "./database.ts";
import { startEmail, type TestEmail } from "./email.ts";

export const userPassword = "correct horse battery";

/** A browser that keeps the account's cookie and has its own address. */
export interface TestBrowser {
  /** The Cookie header; empty if signed out. */
  cookie: string;
  /** Headers that go with every request. */
  headers: Record<string, string>;
  get<T = Record<string, unknown>>(
    path: string,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
  /** A string is sent unchanged. */
  post<T = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
}

export interface AccountApp extends AsyncDisposable {
  app: AppServer;
  url: string;
  baseUrl: string;
  clock: FakeClock;
  db: Db;
  accounts: Accounts;
  guard: AccountGuard;
  sessions: UserSessions;
  clientOf: ClientOf;
  email: TestEmail;
  /** Computations of argon2 so far. */
  counts: { hashes: number };
  /** The server's log so far. */
  logged(): string;
  /** A new browser; from this address, else from this machine, which is never throttled. */
  browser(address?: string): TestBrowser;
  /** The last token that arrived in an email for an address; delivers first. */
  token(email: string): Promise<string>;
  /** Signs up, confirms with the email's link, and signs in. */
  join(email: string, password?: string): Promise<TestBrowser>;
}

export interface AccountAppOptions {
  baseUrl?: string;
  /** A migrated database; a new one by default. */
  db?: Db;
  /** What a new server begins with when it goes on after another. */
  clock?: FakeClock;
  mayJoin?(email: string): Promise<boolean>;
  isInvited?(email: string): Promise<boolean>;
  onDeleted?(trx: Db, user: User): Promise<void>;
  extraPersonalData?(user: User): Promise<Record<string, unknown>>;
  /** Until it resolves no password is computed. */
  held?: Promise<void>;
  queue?: number;
  /** Adds routes before the server listens. */
  register?(
    app: AppServer,
    parts: Pick<
      AccountApp,
      "db" | "clock" | "accounts" | "guard" | "sessions" | "clientOf" | "email" | "baseUrl"
    >,
  ): void;
}

const argon2Async = promisify(argon2);

/** argon2id at its cheapest, counted. */
function countingHasher({ held, queue }: Pick<AccountAppOptions, "held" | "queue">) {
  const counts = { hashes: 0 };
  const compute: Compute = async ({ text, salt, cost, bytes }) => {
    counts.hashes += 1;
    await held;
    const { memoryKiB: memory, passes: runs, lanes: parallelism } = cost;
    const message = Buffer.from(text);
    return argon2Async("argon2id", {
      message,
      nonce: salt,
      memory,
      passes: runs,
      parallelism,
      tagLength: bytes,
    });
  };
  const cost = { memoryKiB: 8, passes: 1, lanes: 1 };
  const bounds = queue === undefined ? { queue: 500 } : { queue, concurrency: 1 };
  return { counts, hasher: makeHasher({ compute, cost, ...bounds }) };
}

function makeBrowser(url: string, address: string | undefined): TestBrowser {
  async function ask<T>(
    method: "GET" | "POST",
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Answer<T>> {
    const response = await request(url + path, {
      method,
      headers: {
        ...(method === "POST" && { "content-type": "application/json" }),
        ...browser.headers,
        ...(browser.cookie !== "" && { cookie: browser.cookie }),
        ...headers,
      },
      body: method === "GET" ? null : typeof body === "string" ? body : JSON.stringify(body ?? {}),
    });
    const given = [response.headers["set-cookie"] ?? []].flat();
    const pair = given.find((line) => /^(?:__Host-)?vitrine_account=/.test(line))?.split(";")[0];
    if (pair !== undefined) browser.cookie = pair.endsWith("=") ? "" : pair;
    const text = await response.body.text();
    const opened = (text.startsWith("{") ? JSON.parse(text) : {}) as Pick<
      Answer<T>,
      "data" | "error"
    >;
    return { ...opened, text, status: response.statusCode, headers: response.headers };
  }
  const browser: TestBrowser = {
    cookie: "",
    headers: address === undefined ? {} : { "x-forwarded-for": address },
    get: (path, headers = {}) => ask("GET", path, null, headers),
    post: (path, body, headers = {}) => ask("POST", path, body, headers),
  };
  return browser;
}

/**
 * A listening server with accounts over a database of its own, whose email arrives at a real SMTP
 * server. It declares 127.0.0.1 a proxy, so a browser is any client by its address.
 */
export async function startAccountApp(options: AccountAppOptions = {}): Promise<AccountApp> {
  const { baseUrl = "http://localhost:3000", clock = fakeClock() } = options;
  await using stack = new AsyncDisposableStack();
  const db = options.db ?? stack.use(await makeTestDatabase()).database.db;
  const testEmail = stack.use(await startEmail({ db, clock, baseUrl }));
  const { counts, hasher } = countingHasher(options);
  const config = { baseUrl };
  const guard = makeAccountGuard({ db, clock, config });
  const { sessions } = guard;
  const clientOf = makeClientOf({ trustedIps: [], trustProxy: ["127.0.0.1"] });
  const accounts = makeAccounts({
    ...options,
    db,
    clock,
    outbox: testEmail.outbox,
    limits: defaultLimits.accounts,
    sessions,
    siteName: "A Portfolio",
    canSignUp: options.mayJoin ?? (async () => true),
    hasher,
  });
  let text = "";
  const destination = new PassThrough().on("data", (chunk) => (text += String(chunk)));
  const log = createLog({ level: "info", name: "test", destination });
  const app = createHttpServer({ log, name: "test", secure: baseUrl.startsWith("https:") });
  stack.defer(() => app.close());
  registerAccounts(app, { accounts, guard, clientOf, config });
  options.register?.(app, {
    db,
    clock,
    accounts,
    guard,
    sessions,
    clientOf,
    email: testEmail,
    baseUrl,
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });

  const browser = (address?: string) => makeBrowser(url, address);
  async function token(email: string): Promise<string> {
    await testEmail.deliver();
    // Emails sent together arrive in any order, so a notice may be the last.
    const links = testEmail.emails().flatMap(({ to, links: own }) => (to === email ? own : []));
    const link = links.findLast((address) => address.includes("token="));
    const found = link && new URL(link).searchParams.get("token");
    if (!found) throw new Error(`No mail to ${email} has a link with a token.`);
    return found;
  }
  const owned = stack.move();
  return {
    app,
    url,
    baseUrl,
    clock,
    db,
    accounts,
    guard,
    sessions,
    clientOf,
    email: testEmail,
    counts,
    logged: () => text,
    browser,
    token,
    async join(email, password = userPassword) {
      const user = browser();
      await user.post("/api/account/signup", { email, password });
      await user.post("/api/account/verify", { token: await token(email) });
      const response = await user.post("/api/account/signin", { email, password });
      if (response.status !== 200) throw new Error(`${email} can't sign in: ${response.text}`);
      return user;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
