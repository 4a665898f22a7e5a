import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Health } from "../../packages/server/src/features/health/health.ts";
import type { Task } from "../../packages/server/src/features/tasks/schema.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { type AdminClient, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { freePorts, startInstance, type TestInstance } from "../support/instance.ts";

/** Builds, one after the other, on a busy machine. */
const timeoutMs = 120_000;

let instance: TestInstance;
let admin: AdminClient;
let metricsPort: number;

beforeAll(async () => {
  [metricsPort = 0] = await freePorts(1);
  instance = await startInstance({
    env: { QA_AUTOFIX: "off", METRICS_PORT: String(metricsPort) },
    config: { trustProxy: ["127.0.0.1"], qa: { intervalMinutes: 0 } },
  });
  admin = await signIn(instance);
}, 240_000);

afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
});

/** Asks as the admin, without a body unless one is given. */
const ask = (path: string, init: RequestInit = {}) =>
  fetch(instance.baseUrl + path, {
    redirect: "manual",
    ...init,
    headers: { cookie: admin.cookie, ...init.headers },
  });

const attempts = async () => (await admin.get<{ total: number }>("/api/adminlog/list")).data.total;

test(
  "a variable of the environment wins over the settings, and the page says where it is set",
  async () => {
    const set = await admin.get("/api/adminsettings/autofix");
    expect(set.data).toMatchObject({ enabled: false, variable: "QA_AUTOFIX" });
    const refused = await admin.post("/api/adminsettings/autofix", { enabled: true });
    expect(refused).toMatchObject({ ok: false, error: { code: "invalid_state" } });
    await using browser = await launchBrowser();
    const { page } = await openPage(browser, {});
    const [name = "", value = ""] = admin.cookie.split("=");
    await page.context().addCookies([{ name, value, url: instance.baseUrl }]);
    await page.goto(`${instance.baseUrl}/admin/settings`);
    await page.getByText("QA_AUTOFIX").first().waitFor();
  },
  timeoutMs,
);

test(
  "a proxy's client is throttled unless it is this machine itself",
  async () => {
    const own = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"));
    expect(own).not.toEqual([]);
    const signInFrom = async (address: string) => {
      const headers = { "content-type": "application/json", "x-forwarded-for": address };
      const body = JSON.stringify({ password: "wrong password of nobody" });
      const init = { method: "POST", headers, body };
      return (await fetch(`${instance.baseUrl}/api/adminauth/login`, init)).status;
    };
    const statuses = async (address: string) => {
      const found: number[] = [];
      for (let i = 0; i < 6; i += 1) found.push(await signInFrom(address));
      return found;
    };
    for (const { address } of own) {
      expect([address, await statuses(address)]).toEqual([address, Array(6).fill(401)]);
    }
    expect(await statuses("203.0.113.77")).toEqual([...Array<number>(5).fill(401), 429]);
  },
  timeoutMs,
);

test("admin pages work with and without a trailing slash; addresses that can't be links are not found and don't count as attempts", async () => {
  const before = await attempts();
  for (const path of ["/admin", "/admin/projects", "/admin/runs", "/admin/projects/new"]) {
    for (const address of [path, `${path}/`]) {
      const response = await ask(address);
      expect([address, response.status]).toEqual([address, 200]);
      expect(await response.text()).toContain("<html");
    }
  }
  for (const name of ["nonsense", "users", "runs.html", "%zz", "projects/none"]) {
    expect([name, (await ask(`/admin/${name}`)).status]).toEqual([name, 404]);
    expect([name, (await fetch(`${instance.baseUrl}/admin/${name}`)).status]).toEqual([name, 404]);
  }
  expect(await attempts()).toBe(before);
});

test("one scrape of the metrics has front, web, and runner, and the site's own port doesn't serve it", async () => {
  await (await fetch(instance.baseUrl)).text();
  await ask("/api/adminlog/list");
  const [series, comments] = await eventually(async () => {
    const lines = (await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()).split(
      "\n",
    );
    const found = lines.filter((line) => !line.startsWith("#"));
    expect(found.some((line) => line.startsWith("vitrine_info{"))).toBe(true);
    return [found, lines.filter((line) => line.startsWith("# TYPE"))] as const;
  });
  for (const name of ["front", "web", "runner"]) {
    expect(series).toContain(`vitrine_process_up{process="${name}"} 1`);
  }
  const request = "vitrine_http_request_duration_seconds_count";
  const starts = [
    `${request}{process="front",kind="page",status="2xx"}`,
    `${request}{process="web",kind="api",status="2xx"}`,
    'nodejs_eventloop_lag_max_seconds{process="runner"}',
    'process_resident_memory_bytes{process="supervisor"}',
    'vitrine_runners{process="web"} 1',
    'vitrine_metrics_errors{process="web"} 0',
  ];
  for (const start of starts) expect(series.filter((one) => one.startsWith(start))).toHaveLength(1);
  expect(new Set(comments).size).toBe(comments.length);
  expect((await fetch(`${instance.baseUrl}/metrics`)).status).toBe(404);
});

test("a new instance has sources for each kind of agent", async () => {
  const { data } = await admin.get<{ items: { agent: string }[] }>("/api/adminsources/list");
  const agents = data.items.map(({ agent }) => agent);
  expect(agents).toEqual(expect.arrayContaining(["editor", "designer", "drafter", "qa", "all"]));
});

test("the site links to the account page if accounts are open, and not if they are closed", async () => {
  const hasLink = async () => (await (await fetch(instance.baseUrl)).text()).includes("/account/");
  for (const [signUp, expected] of [
    ["closed", false],
    ["open", true],
  ] as const) {
    const saved = await admin.post("/api/adminsettings/accounts", { signUp });
    expect(saved).toMatchObject({ ok: true });
    await eventually(
      async () => expect([signUp, await hasLink()]).toEqual([signUp, expected]),
      timeoutMs,
    );
  }
  expect((await fetch(`${instance.baseUrl}/account`)).status).toBe(200);
}, 300_000);

test(
  "the queue and a QA run start without a body, and a paused queue works on what waits",
  async () => {
    expect(await admin.post("/api/admintasks/pause", {})).toMatchObject({ ok: true });
    const task = { title: "A heading", instruction: 'replace "nobody at all says this" with "x"' };
    const { data } = await admin.post<Task>("/api/admintasks/create", { kind: "edit", ...task });
    const started = await ask("/devconsole/tasks/run", { method: "POST" });
    expect([started.status, await started.json()]).toMatchObject([202, { ok: true }]);
    await eventually(async () => {
      const { status } = (await admin.get<Task>(`/api/admintasks/get?id=${data.id}`)).data;
      expect(["reverted", "failed"]).toContain(status);
    }, timeoutMs);
    expect((await ask("/devconsole/qa/run", { method: "POST" })).status).toBe(202);
  },
  timeoutMs * 2,
);

test("exports are files, and refused resumable uploads get the envelope", async () => {
  const findings = await ask("/api/adminqa/export?format=csv");
  expect([findings.status, findings.headers.get("content-disposition")]).toEqual([
    200,
    expect.stringContaining("attachment"),
  ]);
  const upload = await ask("/api/media/uploads/none", {
    method: "HEAD",
    headers: { "tus-resumable": "1.0.0" },
  });
  expect(upload.status).toBe(404);
  const init = { method: "POST", headers: { "tus-resumable": "1.0.0", "upload-length": "x" } };
  const refused = await ask("/api/media/uploads", init);
  expect(await refused.json()).toMatchObject({
    ok: false,
    data: null,
    error: { code: expect.any(String) },
  });
});

test(
  "email that neither provider nor server takes is in the log within a minute, and health says so",
  async () => {
    const [dead = 0] = await freePorts(1);
    const url = `http://127.0.0.1:${dead}`;
    const settings = {
      to: "owner@example.com",
      from: "site@example.com",
      provider: "generic",
      providerUrl: url,
      providerKey: "k-secret",
      smtp: { host: "127.0.0.1", port: dead, secure: false, user: null },
    };
    expect(await admin.post("/api/adminsettings/email", settings)).toMatchObject({ ok: true });
    const contact = {
      name: "Ada",
      email: "ada@example.com",
      message: "Good day to you.",
      website: "",
    };
    const sent = await fetch(`${instance.baseUrl}/api/contact`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(contact),
    });
    expect(sent.status).toBe(200);
    await eventually(async () => {
      const { data } = await admin.get<Health>("/api/health");
      expect(data.checks["mailer"]).toMatchObject({ status: "degraded" });
    }, 60_000);
    expect(instance.log()).toContain("ada@example.com");
    expect(instance.log()).not.toContain("k-secret");
  },
  timeoutMs,
);
