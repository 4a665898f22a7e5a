import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type AdminApp,
  adminPassword,
  cookieOf,
  from,
  startAdminApp,
} from "../../../../../test/support/admin.ts";
import { foreignAddresses } from "../../../../../test/support/addresses.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { setAdminPassword } from "./admin-secrets.ts";
import { makeAttemptLog } from "./attempts.ts";
import { makeHasher } from "./hasher.ts";
import { newLinkToken } from "./credentials.ts";
import { pruneLog } from "./store.ts";

const webkit = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36";
const chrome = `Mozilla/5.0 (X11; Linux x86_64) ${webkit}`;
const android = "Mozilla/5.0 (Linux; Android 13;";
const iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15";

let admin: AdminApp;

beforeEach(async () => {
  admin = await startAdminApp();
});
afterEach(() => admin.cleanup());

interface LogRow {
  method: string;
  outcome: string;
  ip: string;
  user_agent: string;
}

function logRows(): Promise<LogRow[]> {
  return admin.db
    .withTables<{ admin_log: LogRow & { id: number } }>()
    .selectFrom("admin_log")
    .select(["method", "outcome", "ip", "user_agent"])
    .orderBy("id")
    .execute();
}

async function outcomes(): Promise<string[]> {
  return (await logRows()).map((row) => `${row.method} ${row.outcome}`);
}

test("the right password signs in and is logged with its client", async () => {
  const headers = { ...from("203.0.113.9"), "user-agent": `Browser${"x".repeat(400)}` };
  const response = await admin.login(adminPassword, headers);
  expect([response.status, response.headers["cache-control"]]).toEqual([200, "no-store"]);
  expect(response.json().data).toEqual({ admin: true, expiresAt: "2026-01-16T00:00:00.000Z" });
  const [row] = await logRows();
  expect(row).toMatchObject({ method: "password", outcome: "success", ip: "203.0.113.9" });
  expect(row?.user_agent).toHaveLength(300);
  const me = await admin.ask("/api/adminauth/me", { headers: { cookie: cookieOf(response) } });
  expect(me.json().data).toMatchObject({ admin: true });
});

test("a password is the same regardless of how its characters are composed", async () => {
  await setAdminPassword({ db: admin.db, clock: admin.clock, password: "café au lait" });
  expect((await admin.login("cafe\u0301 au lait")).status).toBe(200);
});

test("abuse 1: a wrong password is 401 and adds exactly one log row", async () => {
  const response = await admin.login("not the password");
  expect([response.status, response.json().error.code]).toEqual([401, "invalid_credentials"]);
  expect(response.headers["set-cookie"]).toBeUndefined();
  expect(await outcomes()).toEqual(["password failure"]);
});

test("abuse 2: passwords longer than 72 bytes can't be set and don't sign in", async () => {
  const long = "ä".repeat(36);
  await setAdminPassword({ db: admin.db, clock: admin.clock, password: long });
  await expect(
    setAdminPassword({ db: admin.db, clock: admin.clock, password: `${long}!` }),
  ).rejects.toMatchObject({ code: "validation_failed" });
  expect((await admin.login(`${long}!`)).status).toBe(401);
  expect((await admin.login(long)).status).toBe(200);
});

test("abuse 3: without a password, or with one that is too long, one comparison is still made", async () => {
  for (const password of ["not the password", "x".repeat(5000), ""]) {
    admin.counts.compares = 0;
    expect((await admin.login(password)).status).toBe(401);
    expect(admin.counts.compares).toBe(1);
  }
  await admin.db.withTables<{ admin_account: object }>().deleteFrom("admin_account").execute();
  admin.counts.compares = 0;
  expect((await admin.login()).status).toBe(401);
  expect(admin.counts.compares).toBe(1);
});

test("abuse 3: every attempt makes one comparison at the real cost", async () => {
  const real = await makeHasher().hash("a password");
  expect(real.slice(0, 7)).toBe("$2b$12$");
  const compared: string[][] = [];
  const bcrypt = {
    hash: async () => "",
    async compare(text: string, hash: string) {
      compared.push([text, hash]);
      return true;
    },
  };
  const hasher = makeHasher({ bcrypt });
  const requested = [
    ["anything", real],
    ["anything", null],
    ["x".repeat(5000), real],
    ["x".repeat(5000), null],
  ] as const;
  const matched: boolean[] = [];
  for (const [text, known] of requested) matched.push(await hasher.verify(text, known));
  expect(matched).toEqual([true, false, false, false]);
  expect(compared).toHaveLength(requested.length);
  for (const [text = "", hash = ""] of compared) {
    expect(text.length).toBeLessThan(73);
    // bcrypt would reject anything else immediately.
    expect(hash).toMatch(/^\$2b\$12\$[./A-Za-z0-9]{53}$/);
  }
});

test("abuse 4: of 200 concurrent sign-ins, five are compared and the others are 429", async () => {
  const responses = await Promise.all(
    Array.from({ length: 200 }, () => admin.login("wrong", from("203.0.113.9"))),
  );
  const statuses = responses.map((response) => response.status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(5);
  expect(statuses.filter((status) => status === 429)).toHaveLength(195);
  expect(admin.counts.compares).toBe(5);
  const refused = responses.find((response) => response.status === 429);
  expect(refused?.headers).toMatchObject({ "retry-after": "900", "ratelimit-remaining": "0" });
  const rows = await outcomes();
  expect(rows.filter((row) => row === "password throttled")).toHaveLength(195);
  expect(rows).toHaveLength(200);
});

test("abuse 4: many clients together get twenty comparisons per window", async () => {
  const responses = await Promise.all(
    Array.from({ length: 60 }, (_, i) => admin.login("wrong", from(`203.0.113.${i}`))),
  );
  expect(responses.filter((response) => response.status === 401)).toHaveLength(20);
  expect(admin.counts.compares).toBe(20);
});

test("abuse 251: others can't keep the admin from signing in where they have signed in before", async () => {
  const home = from("2001:db8:1:2::9");
  expect((await admin.login(adminPassword, home)).status).toBe(200);
  await Promise.all(Array.from({ length: 20 }, (_, i) => admin.login("x", from(`203.0.113.${i}`))));
  const later = from("2001:db8:1:2::77");
  expect((await admin.login(adminPassword, from("198.51.100.1"))).status).toBe(429);
  expect((await admin.login(adminPassword, later)).status).toBe(200);
  // A success there takes back no failure of others.
  expect((await admin.login("x", from("198.51.100.1"))).status).toBe(429);
  const statuses = [];
  for (let i = 0; i < 7; i += 1) statuses.push((await admin.login("x", later)).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  expect((await admin.login(adminPassword, home)).status).toBe(429);
});

test("abuse 4: if the queue is full, a trusted client is told to retry, and it is logged", async () => {
  const { promise: pending, resolve: letGo } = Promise.withResolvers<void>();
  await using busy = await startAdminApp({ queue: 3, held: pending });
  const statuses: number[] = [];
  const logins = Array.from({ length: 12 }, async () => {
    statuses.push((await busy.login("wrong")).status);
  });
  // One is being compared, and three are waiting.
  await eventually(() => expect(statuses).toEqual(Array.from({ length: 8 }, () => 503)));
  letGo();
  await Promise.all(logins);
  expect(statuses.slice(8)).toEqual([401, 401, 401, 401]);
  expect(busy.counts.compares).toBe(4);
});

test("abuse 5: a malformed link is redirected and logged, without bcrypt", async () => {
  const unroutable = [
    "a".repeat(257),
    `vl_${"%41".repeat(99)}`,
    `%zz${"a".repeat(20)}`,
    "vl_%",
    `${"a".repeat(20)}%E0%A4%A`,
    "vl_%ff?a=1",
  ];
  const wrong = ["vl_", `vl_${"a".repeat(42)}`, "vl_%2e%2e", "x".repeat(43), "a".repeat(256)];
  for (const [index, token] of [...wrong, ...unroutable].entries()) {
    admin.counts.compares = 0;
    const headers = from(`203.0.113.${index}`);
    const response = await admin.ask(`/admin/${token}`, { headers });
    expect([token, response.status, response.headers["location"]]).toEqual([
      token,
      302,
      "/admin?e=1",
    ]);
    expect(admin.counts.compares).toBe(0);
  }
  expect(await outcomes()).toEqual(Array.from({ length: 11 }, () => "link failure"));
});

test("abuse 5: links that no route matches count as attempts, too", async () => {
  const client = from("203.0.113.9");
  const statuses: number[] = [];
  for (let i = 0; i < 6; i += 1) {
    statuses.push((await admin.ask("/admin/vl_%zz", { headers: client })).status);
  }
  expect(statuses).toEqual([302, 302, 302, 302, 302, 429]);
  for (const path of ["/admin/a/%zz", "/adminx/%zz", "/api/%zz"]) {
    expect((await admin.ask(path)).status).toBe(400);
  }
  expect((await admin.ask("/admin/vl_%zz", { method: "HEAD" })).status).toBe(405);
});

test("an address that can't be a link is not found and doesn't count as an attempt", async () => {
  const paths = ["nonsense", "users", "runs.html", "%zz", "%00", "-", "projects/none"];
  for (const path of paths) {
    const response = await admin.ask(`/admin/${path}`);
    expect([path, response.status]).toEqual([path, 404]);
  }
  expect(await outcomes()).toEqual([]);
});

test("the secret link signs in until it is replaced", async () => {
  const response = await admin.ask(admin.link);
  expect([response.status, response.headers["location"]]).toEqual([302, "/admin"]);
  const check = await admin.ask("/api/adminauth/check", {
    headers: { cookie: cookieOf(response) },
  });
  expect([check.status, check.text]).toEqual([204, ""]);
  const wrong = await admin.ask(`/admin/${newLinkToken()}`);
  expect([wrong.status, wrong.headers["location"]]).toEqual([302, "/admin?e=1"]);
  expect(await outcomes()).toEqual(["link success", "link failure"]);
});

test("the secret link works in programs that people use, such as fetch", async () => {
  const response = await fetch(`${admin.url}${admin.link}`, { redirect: "manual" });
  expect([response.status, response.headers.get("location")]).toEqual([302, "/admin"]);
});

test.each([
  ["HEAD", "HEAD", {}, 405],
  ["POST", "POST", {}, 405],
  ["prefetch", "GET", { "sec-purpose": "prefetch" }, 503],
  ["prerender", "GET", { "sec-purpose": "prefetch;prerender" }, 503],
  ["an older prefetch", "GET", { purpose: "prefetch" }, 503],
  ["a link preview", "GET", { "user-agent": "Slackbot-LinkExpanding 1.0" }, 302],
  ["a chat's preview", "GET", { "user-agent": "WhatsApp/2.23" }, 302],
  ["an image", "GET", { "sec-fetch-dest": "image" }, 302],
  [
    "a chat's preview in a browser's clothes",
    "GET",
    {
      "user-agent": `${chrome} facebookexternalhit/1.1 Facebot Twitterbot/1.0`,
      "sec-fetch-dest": "document",
      "sec-fetch-user": "?1",
    },
    302,
  ],
  ["a visit by Telegram", "GET", { "user-agent": "TelegramBot (like TwitterBot)" }, 302],
  [
    "a visit by LinkedIn",
    "GET",
    { "user-agent": "LinkedInBot/1.0 (compatible; Mozilla/5.0)" },
    302,
  ],
  ["a visit by Teams", "GET", { "user-agent": "Mozilla/5.0 SkypeUriPreview Preview/0.5" }, 302],
  [
    "a visit by Mastodon",
    "GET",
    { "user-agent": "http.rb/5.1.1 (Mastodon/4.2.0; +https://m.example/)" },
    302,
  ],
  ["a visit by some bot", "GET", { "user-agent": "compatible; somebot/2.1" }, 302],
] as const)(
  "abuse 6: %s of the secret link gets no session",
  async (_what, method, headers, status) => {
    const response = await admin.ask(admin.link, { method, headers });
    expect(response.status).toBe(status);
    expect(response.headers["set-cookie"]).toBeUndefined();
    expect(await outcomes()).toEqual([]);
    expect(response.headers["allow"]).toBe(status === 405 ? "GET" : undefined);
  },
);

test.each([
  ["a phone by Cubot", { "user-agent": `${android} CUBOT P30) ${webkit}` }],
  [
    "the browser inside of LinkedIn",
    { "user-agent": `${iphone} Mobile/15E148 [LinkedInApp]/9.29` },
  ],
  [
    "the browser inside of Telegram",
    { "user-agent": `${android} Pixel 8) ${webkit} Telegram-Android/11.2` },
  ],
  ["the browser inside of Teams", { "user-agent": `${chrome} Teams/25060 Electron/30` }],
  ["the browser inside of Slack", { "user-agent": `${chrome} Slack_SSB/4.40` }],
  [
    "a browser of an unlucky name",
    {
      "user-agent": `${chrome} Developer Preview`,
      "sec-fetch-dest": "document",
      "sec-fetch-user": "?1",
    },
  ],
])("the secret link works for a person with %s", async (_what, headers) => {
  const response = await admin.ask(admin.link, { headers });
  expect([response.status, cookieOf(response)]).toEqual([
    302,
    expect.stringContaining("vitrine_admin="),
  ]);
  expect(await outcomes()).toEqual(["link success"]);
});

test("abuse 7: the secret link doesn't leak through caches, referrers, or logs", async () => {
  const response = await admin.ask(admin.link);
  expect(response.headers).toMatchObject({
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  });
  await admin.ask(`${admin.link}?from=mail`);
  await admin.ask(admin.link, { method: "POST" });
  const token = admin.link.slice("/admin/".length);
  await eventually(() => expect(admin.logged().match(/"request"/g)).toHaveLength(3));
  expect(admin.logged()).not.toContain(token);
  expect(admin.logged()).toContain("/admin/[redacted]");
});

test("abuse 8: password and link attempts share one limit", async () => {
  const client = from("203.0.113.9");
  const statuses: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    statuses.push((await admin.login("wrong", client)).status);
    statuses.push((await admin.ask(`/admin/${newLinkToken()}`, { headers: client })).status);
  }
  expect(statuses).toEqual([401, 302, 401, 302, 401, 429, 429, 429]);
  expect((await admin.login(adminPassword, client)).status).toBe(429);
  admin.clock.advance(15 * 60_000);
  expect((await admin.login(adminPassword, client)).status).toBe(200);
});

test("requests for made-up admin pages don't use up the global limit", async () => {
  for (let i = 0; i < 30; i += 1) {
    await admin.ask("/admin/wp-login.php", { headers: from(`203.0.113.${i}`) });
  }
  expect((await admin.login(adminPassword, from("198.51.100.1"))).status).toBe(200);
});

test("signing in resets the client's failures", async () => {
  const client = from("203.0.113.9");
  for (let round = 0; round < 3; round += 1) {
    for (let i = 0; i < 4; i += 1) expect((await admin.login("wrong", client)).status).toBe(401);
    expect((await admin.login(adminPassword, client)).status).toBe(200);
  }
});

test("abuse 25: a client that claims to be loopback is throttled", async () => {
  await using open = await startAdminApp({ trustProxy: [] });
  const statuses: number[] = [];
  for (let i = 0; i < 7; i += 1) {
    statuses.push((await open.login("wrong", { "x-forwarded-for": "127.0.0.1" })).status);
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
});

test("trusted clients are never throttled: loopback and addresses in TRUSTED_IPS", async () => {
  await using open = await startAdminApp({ trustedIps: ["198.51.100.0/24"] });
  for (let i = 0; i < 25; i += 1) {
    const headers = i % 2 ? from("198.51.100.7") : {};
    expect((await open.login("wrong", headers)).status).toBe(401);
  }
});

test("abuse 29: a /64 counts as one client", async () => {
  const statuses: number[] = [];
  for (let i = 1; i <= 6; i += 1) {
    statuses.push((await admin.login("wrong", from(`2001:db8:1:2::${i}`))).status);
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
});

test("abuse 30: setting the clock resets no limit", async () => {
  const client = from("203.0.113.9");
  for (let i = 0; i < 5; i += 1) await admin.login("wrong", client);
  admin.clock.setWall(admin.clock.now() + 24 * 3_600_000);
  expect((await admin.login("wrong", client)).status).toBe(429);
});

test("rows that arrive together are written together, and the log stays bounded", async () => {
  const log = makeAttemptLog(admin.db, { pruneEvery: 1000 });
  const entry = {
    at: "2026-01-01T00:00:00.000Z",
    method: "link",
    ip: "::1",
    user_agent: "",
  } as const;
  await Promise.all(
    Array.from({ length: 1200 }, () => log.append({ ...entry, outcome: "throttled" })),
  );
  await log.append({ ...entry, outcome: "failure" });
  expect(await outcomes()).toHaveLength(1201);
  await pruneLog(admin.db, 100);
  const rows = await outcomes();
  expect(rows.filter((row) => row === "link throttled")).toHaveLength(100);
  expect(rows.filter((row) => row === "link failure")).toHaveLength(1);
});

test("without JavaScript, forms sign in and out", async () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const page = { ...form, origin: "http://localhost:3000", "sec-fetch-site": "same-origin" };
  const body = new URLSearchParams({ password: adminPassword }).toString();
  const signedIn = await admin.ask("/admin/login", { body, headers: page });
  expect([signedIn.status, signedIn.headers["location"]]).toEqual([303, "/admin"]);
  const wrong = await admin.ask("/admin/login", { body: "password=wrong", headers: page });
  expect([wrong.status, wrong.headers["location"]]).toEqual([303, "/admin?e=1"]);
  const foreign = { ...form, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect((await admin.ask("/admin/login", { body, headers: foreign })).status).toBe(403);
  const cookie = cookieOf(signedIn);
  const out = await admin.ask("/admin/logout", { body: "", headers: { ...page, cookie } });
  expect([out.status, out.headers["location"]]).toEqual([303, "/admin"]);
  expect((await admin.ask("/api/adminauth/check", { headers: { cookie } })).status).toBe(401);
  expect(await outcomes()).toEqual(["password success", "password failure"]);
});

test("abuse 12: a sign-in submitted by another site is refused and not logged", async () => {
  const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  const response = await admin.login(adminPassword, headers);
  expect([response.status, response.json().error.code]).toEqual([403, "bad_origin"]);
  expect(await outcomes()).toEqual([]);
});

test.each([
  "text/plain",
  "application/json\t; charset=utf-8",
  "application/ json",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
])("abuse 13: a sign-in body of type %j is 415", async (type) => {
  const body = JSON.stringify({ password: adminPassword });
  const headers = { "content-type": type };
  expect((await admin.ask("/api/adminauth/login", { body, headers })).status).toBe(415);
  expect(await outcomes()).toEqual([]);
});

test.each(["/api/adminauth/login", "/api/adminauth/logout", "/admin/login", "/admin/logout"])(
  "abuse 14: GET and HEAD on %s are 405 with Allow",
  async (path) => {
    for (const method of ["GET", "HEAD"] as const) {
      const response = await admin.ask(path, { method });
      expect([response.status, response.headers["allow"]]).toEqual([405, "POST"]);
    }
  },
);

test("a browser that opens a form's address is led to the sign-in page", async () => {
  for (const path of ["/admin/login", "/admin/logout"]) {
    const response = await admin.ask(path, { headers: { accept: "text/html,*/*" } });
    expect([response.status, response.headers["location"]]).toEqual([303, "/admin"]);
  }
});

test("the public API takes 60 requests a minute from one client and says so", async () => {
  const client = { headers: from("203.0.113.9") };
  const first = await admin.ask("/api/nowhere", client);
  expect(first.headers).toMatchObject({ "ratelimit-limit": "60", "ratelimit-remaining": "59" });
  for (let i = 1; i < 60; i += 1)
    expect((await admin.ask("/api/nowhere", client)).status).toBe(404);
  const refused = await admin.ask("/api/nowhere", client);
  expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "60"]);
  expect(refused.json().error.code).toBe("throttled");
  expect((await admin.ask("/api/nowhere", { headers: from("203.0.113.10") })).status).toBe(404);
  expect((await admin.ask("/api/adminauth/check", client)).status).toBe(401);
  const cookie = await admin.signIn();
  const me = await admin.ask("/api/adminauth/me", { headers: { cookie, ...from("203.0.113.9") } });
  expect(me.status).toBe(200);
});

test("refusals of a guard count, too, but a wrong password uses up nobody else's limit", async () => {
  const client = from("203.0.113.9");
  const other = from("203.0.113.10");
  const admitted = { cookie: await admin.signIn(), ...client };
  const visitor = { ...client, cookie: `vitrine_admin=${"a".repeat(43)}` };
  for (let i = 0; i < 30; i += 1) {
    expect((await admin.ask("/api/adminauth/me", { headers: visitor })).status).toBe(401);
    expect((await admin.ask("/api/admin/ping", { headers: client })).status).toBe(401);
  }
  const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site", ...client };
  for (const refused of [
    await admin.ask("/api/adminauth/me", { headers: visitor }),
    await admin.ask("/api/admin/ping", { headers: client }),
    await admin.ask("/api/nowhere", { headers: client }),
    await admin.login("wrong", foreign),
    await admin.ask("/api/adminauth/login", { body: { guess: 1 }, headers: client }),
  ]) {
    expect([refused.status, refused.json().error.code]).toEqual([429, "throttled"]);
    expect(refused.headers["retry-after"]).toBe("60");
  }
  expect((await admin.ask("/api/adminauth/check", { headers: visitor })).status).toBe(401);
  expect((await admin.ask("/api/adminauth/me", { headers: admitted })).status).toBe(200);
  expect((await admin.ask("/api/admin/ping", { headers: other })).status).toBe(401);
  expect((await admin.login("wrong", client)).status).toBe(401);
  expect((await admin.login(adminPassword, client)).status).toBe(200);
});

test("requests that aren't sign-in attempts count towards the general limit", async () => {
  const client = from("203.0.113.9");
  const foreign = { origin: "https://evil.example", ...client };
  for (let i = 0; i < 20; i += 1) {
    expect((await admin.login("wrong", foreign)).status).toBe(403);
    const typed = { "content-type": "text/plain", ...client };
    const untyped = await admin.ask("/api/adminauth/login", { body: "wrong", headers: typed });
    expect(untyped.status).toBe(415);
    const odd = await admin.ask("/api/adminauth/login", { body: { guess: 1 }, headers: client });
    expect([odd.status, odd.headers["ratelimit-limit"]]).toEqual([422, "60"]);
  }
  expect((await admin.login("wrong", foreign)).status).toBe(429);
  expect((await admin.ask("/api/nowhere", { headers: client })).status).toBe(429);
});

test("the form leads back to the requested page, even after a wrong password", async () => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const next = "/admin/projects/edit?id=4";
  const send = (password: string, back: string) =>
    admin.ask("/admin/login", {
      headers,
      body: new URLSearchParams({ password, next: back }).toString(),
    });
  const wrong = await send("not the password", next);
  expect([wrong.status, wrong.headers.location]).toEqual([
    303,
    "/admin?e=1&next=%2Fadmin%2Fprojects%2Fedit%3Fid%3D4",
  ]);
  const right = await send(adminPassword, next);
  expect([right.status, right.headers.location]).toEqual([303, next]);
  expect(cookieOf(right)).not.toBe("");
});

test("the form leads only to admin pages", async () => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  for (const next of foreignAddresses) {
    const body = new URLSearchParams({ password: adminPassword, next }).toString();
    const response = await admin.ask("/admin/login", { headers, body });
    expect([next, response.headers.location]).toEqual([next, "/admin"]);
  }
});
