import { PassThrough } from "node:stream";
import { compare, hash } from "@node-rs/bcrypt";
import { request } from "undici";
import {
  setAdminPassword,
  setAdminToken,
} from "../../packages/server/src/features/admin-auth/admin-secrets.ts";
import { ownLimits, registerAdminAuth } from "../../packages/server/src/features/admin-auth/api.ts";
import { makeAdminGuard } from "../../packages/server/src/features/admin-auth/guard.ts";
import { rewriteMalformedLink } from "../../packages/server/src/features/admin-auth/malformed-link.ts";
import { makeHasher } from "../../packages/server/src/features/admin-auth/hasher.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { makeClientOf } from "../../packages/server/src/platform/http/client-address.ts";
import { registerPublicThrottle } from "../../packages/server/src/platform/http/public-throttle.ts";
import {
  type AppServer,
  createHttpServer,
} from "../../packages/server/src/platform/http/server.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { makeTestDatabase } from "./database.ts";

export const adminPassword = "a long enough password";

/** bcrypt at its lowest cost, which counts calls; comparisons wait for `held`. */
function countingBcrypt(held: Promise<void> | undefined) {
  const counts = { compares: 0 };
  const bcrypt = {
    hash: (text: string) => hash(text, 4),
    async compare(text: string, known: string) {
      counts.compares += 1;
      await held;
      return compare(text, known);
    },
  };
  return { counts, bcrypt };
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** `data` or `error` of the envelope. */
  json(): { ok: boolean; data: Record<string, unknown>; error: { code: string } };
}

export interface Ask {
  method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE" | "OPTIONS";
  headers?: Record<string, string>;
  /** Sent as JSON unless it is a string. */
  body?: unknown;
}

export interface AdminApp extends AsyncDisposable {
  app: AppServer;
  url: string;
  clock: FakeClock;
  db: Awaited<ReturnType<typeof makeTestDatabase>>["database"]["db"];
  guard: ReturnType<typeof makeAdminGuard>;
  counts: { compares: number };
  link: string;
  /** The log so far. */
  logged(): string;
  ask(path: string, options?: Ask): Promise<Answer>;
  login(password?: string, headers?: Record<string, string>): Promise<Answer>;
  /** Signs in and returns the Cookie header. */
  signIn(): Promise<string>;
  cleanup(): Promise<void>;
}

/** What the routes of a test get. */
type AppParts = Pick<AdminApp, "guard" | "clock" | "db"> & ReturnType<typeof registerAdminAuth>;

/** The cookie's name and value from a Set-Cookie header. */
export function cookieOf(response: Answer): string {
  return String(response.headers["set-cookie"] ?? "").split(";")[0] ?? "";
}

async function ask(url: string, path: string, options: Ask = {}): Promise<Answer> {
  const { body } = options;
  const typed = body === undefined || options.headers?.["content-type"] !== undefined;
  const response = await request(`${url}${path}`, {
    method: options.method ?? (body === undefined ? "GET" : "POST"),
    headers: { ...(typed ? {} : { "content-type": "application/json" }), ...options.headers },
    body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.body.text();
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    json: () => JSON.parse(text) as ReturnType<Answer["json"]>,
  };
}

/**
 * A listening server with the admin sign-in, a separate database, a password, and a link. It trusts
 * 127.0.0.1 as a proxy, so a test can act as any client with X-Forwarded-For.
 */
export async function startAdminApp(
  options: {
    baseUrl?: string;
    /** The port; by default, any free one. A browser has to find the server at `baseUrl`. */
    port?: number;
    trustedIps?: string[];
    trustProxy?: string[];
    queue?: number;
    /** The database of another app, which has set the password; a new one by default. */
    db?: AdminApp["db"];
    clock?: FakeClock;
    /** No bcrypt comparison ends until it resolves. */
    held?: Promise<void>;
    register?: (app: AppServer, parts: AppParts) => void;
  } = {},
): Promise<AdminApp> {
  const own = options.db ? null : await makeTestDatabase();
  const db = options.db ?? own!.database.db;
  const { clock = fakeClock() } = options;
  const { counts, bcrypt } = countingBcrypt(options.held);
  const hasher = makeHasher({ bcrypt, concurrency: 1, queue: options.queue ?? 32 });
  const baseUrl = options.baseUrl ?? "http://localhost:3000";
  const config = { baseUrl, limits: defaultLimits };
  const guard = makeAdminGuard({ db, clock, config });
  const clientOf = makeClientOf({
    trustedIps: options.trustedIps ?? [],
    trustProxy: options.trustProxy ?? ["127.0.0.1"],
  });
  let text = "";
  const destination = new PassThrough().on("data", (chunk) => (text += String(chunk)));
  const log = createLog({ level: "info", name: "test", destination });
  const secure = baseUrl.startsWith("https:");
  const app = createHttpServer({ log, name: "test", secure, rewriteUrl: rewriteMalformedLink });
  registerPublicThrottle(app, {
    clock,
    clientOf,
    perMinute: config.limits.publicPerMinute,
    isAdmitted: (req) => req.admin !== undefined,
    routesWithOwnLimit: ownLimits,
  });
  const { assertPassword } = registerAdminAuth(app, { db, clock, config, guard, clientOf, hasher });
  options.register?.(app, { guard, clock, db, assertPassword });
  const url = await app.listen({ host: "127.0.0.1", port: options.port ?? 0 });
  if (own) await setAdminPassword({ db, clock, password: adminPassword, hasher });
  const { url: linkUrl } = own
    ? await setAdminToken({ db, clock, baseUrl, hasher })
    : { url: baseUrl };

  const login = (password = adminPassword, headers: Record<string, string> = {}) =>
    ask(url, "/api/adminauth/login", { body: { password }, headers });
  const close = async () => {
    await app.close();
    await own?.cleanup();
  };
  return {
    app,
    url,
    clock,
    db,
    guard,
    counts,
    link: new URL(linkUrl).pathname,
    logged: () => text,
    ask: (path, given) => ask(url, path, given),
    login,
    signIn: async () => cookieOf(await login()),
    cleanup: close,
    [Symbol.asyncDispose]: close,
  };
}

/** The headers of a client with this address, as the trusted proxy sends them. */
export function from(address: string): Record<string, string> {
  return { "x-forwarded-for": address };
}
