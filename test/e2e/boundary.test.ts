import { afterAll, beforeAll, expect, test } from "vitest";
import { type Dispatcher, Pool } from "undici";
import {
  bodyWith,
  hostileBodies,
  hostileQueries,
  type JsonSchema,
  membersOf,
} from "../support/hostile-bodies.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { mainThreadMs, slowness } from "../support/thread-time.ts";

interface Operation {
  method: Dispatcher.HttpMethod;
  path: string;
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  "x-body-limits"?: { maxBytes: number };
}

/** Bodies that other protocols describe, with bounds and tests of their own: uploads. */
const otherProtocols = [
  "/api/media/upload",
  "/api/media/uploads",
  "/api/media/reference",
  "/api/import/upload",
];
const maxErrorBytes = 16 * 1024;
/** Of the processor's time, ms: what one request may hold an event loop up. */
const maxHeldMs = 50;
const maxQueryBytes = 12 * 1024;

let instance: TestInstance;
let operations: Operation[];
let client: Pool;
let cookie: string;
let allowed: number;

beforeAll(async () => {
  allowed = maxHeldMs * slowness();
  const config = { trustedIps: ["127.0.0.1", "::1"] };
  instance = await startInstance({ apart: true, config });
  client = new Pool(instance.baseUrl, { pipelining: 1, connections: 6 });
  const document = JSON.parse((await ask("GET", "/api/openapi.json")).text) as {
    paths: Record<string, Record<string, Omit<Operation, "method" | "path">>>;
  };
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      Object.assign(operation, {
        method: method.toUpperCase() as Dispatcher.HttpMethod,
        path: path.replaceAll(/\{[^}]+\}/g, "1"),
      }),
    ),
  );
  cookie = await signIn();
});
afterAll(async () => {
  await client?.close();
  await instance?.[Symbol.asyncDispose]();
});

async function ask(
  method: Dispatcher.HttpMethod,
  path: string,
  options: { body?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; text: string }> {
  const { body = null } = options;
  const headers = {
    ...options.headers,
    ...(body !== null && { "content-type": "application/json" }),
  };
  const response = await client.request({ method, path, headers, body });
  return { status: response.statusCode, text: await response.body.text() };
}

async function signIn(): Promise<string> {
  const signedIn = await fetch(await instance.link(), { redirect: "manual" });
  return signedIn.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
}

/** Signs in again where an operation has ended the session: refused as a stranger, nothing is tried. */
async function staySignedIn(): Promise<void> {
  const { status } = await ask("GET", "/api/adminauth/me", { headers: { cookie } });
  if (status !== 200) cookie = await signIn();
}

function heldMs(): number {
  return (["web", "runner"] as const)
    .map((name) => mainThreadMs(instance.process(name).pid ?? 0))
    .reduce((sum, ms) => sum + ms, 0);
}

type Answer = Awaited<ReturnType<typeof ask>>;

/**
 * What one request may take of the event loops on this machine as it is now, ms: it may have become
 * slower since the last look.
 */
function allowedNow(): number {
  allowed = Math.max(allowed, maxHeldMs * slowness());
  return allowed;
}

/** The least that a request takes of the event loops, ms. */
async function minMs(request: () => Promise<Answer>, enough: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let at = 0; at < 5 && best > enough; at += 1) {
    const before = heldMs();
    await request();
    best = Math.min(best, heldMs() - before);
  }
  return best;
}

/**
 * What is wrong with the answers to these requests of one operation. Where all of them together take
 * no more of the event loops than one may, none is looked at alone.
 */
async function faultsOf(
  name: string,
  requests: { shape: string; send: () => Promise<Answer>; fits: (response: Answer) => boolean }[],
): Promise<string[]> {
  const before = heldMs();
  const responses = await Promise.all(requests.map(({ send }) => send()));
  const isFast = heldMs() - before <= allowed;
  const faults: string[] = [];
  for (const [at, { shape, send, fits }] of requests.entries()) {
    const response = responses[at];
    if (!response || !fits(response)) {
      faults.push(`${name}, ${shape}: ${response?.status}, ${response?.text.length} bytes`);
    }
    const ms = isFast ? 0 : await minMs(send, allowed);
    if (ms > allowed && ms > allowedNow()) faults.push(`${name}, ${shape}: ${ms} ms`);
  }
  return faults;
}

function takesJson({ path, method }: Operation): boolean {
  return (
    !["GET", "HEAD", "OPTIONS"].includes(method) &&
    !otherProtocols.some((one) => path.startsWith(one))
  );
}

test("abuse 113: every operation that takes a body says how large it may be", () => {
  const without = operations.filter((one) => takesJson(one) && !one["x-body-limits"]);
  expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  const open = operations.filter((one) => takesJson(one) && !one.security);
  // What strangers send is as small as a form.
  for (const one of open) expect(one["x-body-limits"]?.maxBytes).toBeLessThanOrEqual(64 * 1024);
});

test("abuse 113, 114: no body at its limit is answered with more than 16 kB or holds a loop for 50 ms", async () => {
  const faults: string[] = [];
  for (const operation of operations.filter(takesJson)) {
    const { method, path } = operation;
    const { maxBytes: bytes } = operation["x-body-limits"] ?? { maxBytes: 4096 };
    const schema = operation.requestBody?.content["application/json"]?.schema ?? {};
    await staySignedIn();
    const headers = { cookie, origin: instance.baseUrl };
    const requests = hostileBodies(schema, bytes).map(({ shape, text: body }) => ({
      shape,
      send: () => ask(method, path, { body, headers }),
      fits({ status, text }: Answer) {
        // Whoever fills in the field that nobody sees is thanked (abuse 97).
        const isTrapped = path === "/api/contact" && shape.startsWith("website");
        const isRefused = isTrapped ? status === 200 : status >= 400 && status < 500;
        return isRefused && Buffer.byteLength(text) <= maxErrorBytes;
      },
    }));
    faults.push(...(await faultsOf(`${method} ${path}`, requests)));
  }
  expect(faults).toEqual([]);
}, 400_000);

test("abuse 157: no text of any body is taken with half a surrogate pair in it", async () => {
  const taken: string[] = [];
  for (const operation of operations.filter(takesJson)) {
    const { method, path, requestBody } = operation;
    await staySignedIn();
    const schema = requestBody?.content["application/json"]?.schema ?? {};
    for (const member of membersOf(schema, "string")) {
      const body = bodyWith(member, '"a \\ud800 b"');
      const headers = { cookie, origin: instance.baseUrl };
      const { status, text } = await ask(method, path, { body, headers });
      const { error } = JSON.parse(text) as { error: { fields?: Record<string, string> } | null };
      const name = member.join(".").replaceAll("[]", "0");
      const isNamed = status === 422 && Object.hasOwn(error?.fields ?? {}, name);
      if (!isNamed && status !== 401 && member[0] !== "website") taken.push(`${path} ${name}`);
    }
  }
  expect(taken).toEqual([]);
});

test("abuse 156: a token that may read changes nothing, whatever it asks for", async () => {
  const made = await instance.vitrine(["api-token", "create", "reader", "--scopes", "read"]);
  const headers = { authorization: `Bearer ${String(made["token"])}` };
  const admitted: string[] = [];
  for (const { method, path, security = [] } of operations) {
    if (["GET", "HEAD", "OPTIONS"].includes(method) || security.length === 0) continue;
    const { status } = await ask(method, path, { headers, body: "{}" });
    const isAccounts = security.every((one) => "account" in one);
    const isSessions = security.every((one) => "session" in one);
    const refusals = isAccounts || isSessions ? [401, 403] : [403];
    if (!refusals.includes(status)) admitted.push(`${method} ${path}: ${status}`);
  }
  expect(admitted).toEqual([]);
});

test("abuse 115: no query is answered with more than 16 kB or holds a loop for 50 ms", async () => {
  const faults: string[] = [];
  for (const { method, path, parameters = [] } of operations) {
    if (method === "OPTIONS") continue;
    const names = parameters.filter((one) => one.in === "query").map(({ name }) => name);
    await staySignedIn();
    const headers = { cookie, origin: instance.baseUrl };
    // Empty keys are no keys: a POST with them does what it is for, such as ending the session.
    const queries = hostileQueries(names, maxQueryBytes).filter(
      ({ shape }) => method === "GET" || shape !== "empty keys",
    );
    const requests = queries.map(({ shape, text: query }) => ({
      shape,
      send: () => ask(method, `${path}?${query}`, { headers }),
      fits: ({ status, text }: Answer) =>
        status < 500 && (status < 400 || Buffer.byteLength(text) <= maxErrorBytes),
    }));
    faults.push(...(await faultsOf(`${method} ${path}`, requests)));
  }
  expect(faults).toEqual([]);
}, 400_000);

/** A project at the bounds of its fields, each character in its longest form. */
function maxProject(name: string): Record<string, unknown> {
  const text = (length: number) => "\u00e9".repeat(length);
  const several = <T>(count: number, item: T) => Array.from({ length: count }, () => item);
  return {
    name,
    summary: text(280),
    lede: text(600),
    body: text(50_000),
    kind: text(60),
    period: text(60),
    role: text(120),
    categories: several(12, text(40)),
    stack: several(40, text(40)),
    skills: several(12, { group: text(60), items: several(24, text(40)) }),
    metrics: several(8, { value: text(24), label: text(60), note: text(160) }),
    brief: text(8000),
  };
}

function escaped(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u00e9", "\\u00e9");
}

test("abuse 114: the longest project is stored, and holds no loop for 50 ms", async () => {
  await staySignedIn();
  const headers = { cookie, origin: instance.baseUrl };
  const created = await ask("POST", "/api/adminprojects/create", {
    body: escaped(maxProject("Longest")),
    headers,
  });
  expect(created.status).toBe(201);
  let { data } = JSON.parse(created.text) as { data: { id: number; version: number } };
  const save = async () => {
    const { id, version } = data;
    const body = escaped({ ...maxProject(`Longest ${version}`), id, version });
    const response = await ask("POST", "/api/adminprojects/save", { body, headers });
    expect(response.status).toBe(200);
    ({ data } = JSON.parse(response.text) as { data: typeof data });
    return response;
  };
  const ms = await minMs(save, allowed);
  expect(ms).toBeLessThanOrEqual(Math.max(ms > allowed ? allowedNow() : 0, allowed));
});

test("abuse 113, 114: twice the body takes about twice the time", async () => {
  await staySignedIn();
  const shapes: Record<string, { n: number; make: (n: number) => string }> = {
    text: { n: 20_000, make: (n) => `"body":"${"a".repeat(n)}"` },
    spaces: { n: 50_000, make: (n) => `"body":"x${" ".repeat(n)}x"` },
    marks: { n: 20_000, make: (n) => `"body":"a${"\\u0301".repeat(n)}"` },
    "unknown keys": { n: 300, make: (n) => many(n, (at) => `"k${at}":1`) },
    "wrong items": { n: 150, make: (n) => `"gallery":[${many(n, () => "{}")}]` },
  };
  const headers = { cookie, origin: instance.baseUrl };
  const rounds = 8;
  const slow: string[] = [];
  for (const [shape, { n, make }] of Object.entries(shapes)) {
    const heldBy = async (count: number) => {
      const body = `{"id":1,"version":1,"unknown":1,${make(count)}}`;
      const before = heldMs();
      for (let round = 0; round < rounds; round += 1) {
        const { status } = await ask("POST", "/api/adminprojects/save", { body, headers });
        expect([shape, status]).toEqual([shape, 422]);
      }
      return heldMs() - before;
    };
    // What else the processes did meanwhile counts, too: a quadratic one is slow every time.
    let isLinear = false;
    let seen = "";
    for (let attempt = 0; attempt < 4 && !isLinear; attempt += 1) {
      const [once, twice] = [await heldBy(n), await heldBy(2 * n)];
      isLinear = twice <= 3 * once + (rounds * allowed) / 25;
      seen = `${shape}: ${once} ms, ${twice} ms`;
    }
    if (!isLinear) slow.push(seen);
  }
  expect(slow).toEqual([]);
});

function many(count: number, item: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index)).join();
}
