import { request } from "undici";
import { describe, expect, test } from "vitest";
import { observed, type QaApp, resultOf, useQaApp } from "../../../../../test/support/qa-app.ts";
import { isoTime } from "../../kit/time.ts";
import type { EngineWatch } from "vitrine-qa/src/engine/job.ts";
import type { FindingRecord, IgnoreRuleRecord, Overview, QaRun } from "./schema.ts";

interface List<T> {
  items: T[];
  total: number;
  page: number;
  perPage: number;
}

let app: QaApp;
useQaApp("sqlite", (made) => (app = made));

const link = (page = "/about/", target = "/abuot/") =>
  observed("link.internal-broken", page, { target, message: `${target} is not there.` });
const title = (page = "/") => observed("seo.title-missing", page);
const long = (page = "/") => observed("seo.title-length", page);

const reading = [
  "/overview",
  "/runs",
  "/run?id=1",
  "/findings",
  "/finding?id=1",
  "/ignores",
  "/export",
];
const changing = ["/fix", "/ignore", "/reopen", "/unignore", "/baseline"];

describe("who may ask", () => {
  test.each(reading)("reading %s takes a session or a token that reads", async (path) => {
    expect((await app.ask(path, undefined, {})).status).toBe(401);
    const write = await app.token("writer", ["write"]);
    expect((await app.ask(path, undefined, write)).error.code).toBe("forbidden");
    const read = await app.token("reader", ["read"]);
    for (const headers of [read, app.session]) {
      expect([200, 404]).toContain(
        (await app.ask(path, undefined, headers).catch(asText(path, headers))).status,
      );
    }
  });

  test.each(changing)("%s takes a token that writes, and no other site", async (path) => {
    expect((await app.ask(path, {}, {})).status).toBe(401);
    const read = await app.token("reader", ["read"]);
    expect((await app.ask(path, {}, read)).error.code).toBe("forbidden");
    const elsewhere = { ...app.session, origin: "https://evil.example" };
    expect((await app.ask(path, {}, elsewhere)).error.code).toBe("bad_origin");
  });

  /** An export is a file, no envelope. */
  function asText(path: string, headers: Record<string, string>) {
    return async () => ({
      status: (await request(`${app.url}/api/adminqa${path}`, { headers })).statusCode,
    });
  }
});

describe("what is asked for", () => {
  test.each([
    "/overview?x=1",
    "/runs?status=done",
    "/runs?perPage=101",
    "/run",
    "/run?id=0",
    "/run?id=1e3",
    "/run?id=2147483648",
    "/findings?status=broken",
    "/findings?status=open,,fixed",
    "/findings?severity=critical",
    "/findings?scope=all",
    "/findings?sort=random",
    `/findings?q=${"x".repeat(201)}`,
    "/findings?page=0",
    "/export?format=xls",
    "/export?format=pretty",
    "/ignores?page=0",
    "/ignores?kind=rule",
  ])("GET %s is refused", async (path) => {
    const { status, error } = await app.ask(path);
    expect([status, error.code]).toEqual([422, "validation_failed"]);
  });

  test.each<[string, object, string]>([
    ["/fix", {}, "findingId"],
    ["/fix", { findingId: 0 }, "findingId"],
    ["/fix", { findingId: "1" }, "findingId"],
    ["/fix", { findingId: 1, instruction: "x".repeat(2001) }, "instruction"],
    ["/fix", { findingId: 1, automatic: true }, "automatic"],
    ["/ignore", { findingId: 1 }, "reason"],
    ["/ignore", { findingId: 1, reason: " \n" }, "reason"],
    ["/ignore", { findingId: 1, reason: "x".repeat(301) }, "reason"],
    ["/ignore", { reason: "x" }, "findingId"],
    ["/ignore", { findingId: 1, check: "seo.thin", reason: "x" }, "findingId"],
    ["/ignore", { findingId: 1, pageUrl: "/", reason: "x" }, "pageUrl"],
    ["/ignore", { check: "seo.thin", reason: "x", until: "tomorrow" }, "until"],
    ["/ignore", { check: "seo.thin", reason: "x", until: "2020-01-01T00:00:00Z" }, "until"],
    ["/reopen", { id: 1 }, "findingId"],
    ["/unignore", { id: 1.5 }, "id"],
    ["/baseline", { all: true }, "all"],
  ])("POST %s %j is refused", async (path, body, field) => {
    const { status, error } = await app.ask(path, body);
    expect([status, error.code]).toEqual([422, "validation_failed"]);
    expect(Object.keys(error.fields ?? {})).toContain(field);
  });

  test.each(["/run?id=77", "/finding?id=77"])("%s is not there", async (path) => {
    expect((await app.ask(path)).error.code).toBe("not_found");
  });

  test.each([
    ["/fix", { findingId: 77 }],
    ["/ignore", { findingId: 77, reason: "x" }],
    ["/reopen", { findingId: 77 }],
    ["/unignore", { id: 77 }],
  ])("POST %s of what isn't there is 404", async (path, body) => {
    expect((await app.ask(path, body)).error.code).toBe("not_found");
  });
});

describe("findings", () => {
  test("have all that was seen, in the order of their weight", async () => {
    const run = await app.see([long(), title(), link()]);
    const { data, headers } = await app.ask<List<FindingRecord>>("/findings?perPage=2");
    expect(headers["cache-control"]).toBe("no-store");
    expect(data).toMatchObject({ total: 3, page: 1, perPage: 2 });
    expect(data.items.map(({ severity }) => severity)).toEqual(["error", "error"]);
    const [broken] = await app.findings("&check=link.internal-broken");
    expect(broken).toEqual({
      id: expect.any(Number),
      fingerprint: link().fingerprint,
      check: "link.internal-broken",
      title: "Broken internal link",
      category: "links",
      scope: "page",
      severity: "error",
      critical: false,
      confidence: "confirmed",
      engine: "Vitrine/1",
      pageUrl: "/about/",
      target: "/abuot/",
      message: "/abuot/ is not there.",
      evidence: {},
      occurrences: [{ page: "/about/", selector: "main p", line: null, text: "" }],
      occurrenceCount: 1,
      pageCount: 1,
      isSafe: false,
      status: "open",
      instruction: null,
      task: null,
      isAssessed: false,
      source: null,
      fix: { kind: "model", refusal: null },
      isAutoFixable: false,
      note: null,
      ignored: null,
      firstSeenAt: isoTime(app.clock.now()),
      lastSeenAt: isoTime(app.clock.now()),
      fixedAt: null,
      seenCount: 1,
      firstRunId: run.id,
      lastRunId: run.id,
    });
    expect((await app.ask(`/finding?id=${broken?.id}`)).data).toEqual(broken);
  });

  test("are found by what they are", async () => {
    await app.see([long(), title()]);
    const run = await app.see([title(), link()]);
    const checks = async (query: string) =>
      (await app.findings(`&sort=oldest${query}`)).map(({ check }) => check);
    expect(await checks("&status=fixed")).toEqual(["seo.title-length"]);
    expect(await checks("&status=open,fixed&category=seo")).toEqual([
      "seo.title-length",
      "seo.title-missing",
    ]);
    expect(await checks(`&runId=${run.id}&status=open`)).toEqual([
      "seo.title-missing",
      "link.internal-broken",
    ]);
    expect(await checks("&q=ABUOT%20there")).toEqual(["link.internal-broken"]);
    expect(await checks("&q=a%00buot")).toEqual(["link.internal-broken"]);
    expect(await checks("&pageUrl=/about/")).toEqual(["link.internal-broken"]);
    expect(await checks("&severity=notice&scope=page")).toEqual(["seo.title-length"]);
  });
});

describe("the overview", () => {
  test("says how the site stands, and nothing again to whom it knows", async () => {
    app.nextAt = "2026-11-21T10:00:00.000Z";
    const run = await app.see([link(), link("/"), title(), long()]);
    const first = await app.ask<Overview>("/overview");
    expect(first.data).toMatchObject({
      currentRun: null,
      lastRun: { id: run.id, status: "finished", trigger: "manual", requestedBy: "Ada", pages: 3 },
      open: { error: 3, warning: 0, notice: 1 },
      queued: 0,
      ignored: 0,
      fixedFindings: 0,
      nextRunAt: app.nextAt,
      intervalMinutes: 60,
      autofix: true,
      trend: [{ id: run.id, counts: { error: 3, warning: 0, notice: 1 } }],
    });
    expect(first.data.groups[0]).toMatchObject({
      check: "link.internal-broken",
      title: "Broken internal link",
      findings: 2,
      pages: 2,
    });
    const etag = String(first.headers["etag"]);
    const again = await app.ask("/overview", undefined, { ...app.session, "if-none-match": etag });
    expect([again.status, again.text]).toEqual([304, ""]);
    app.runners = 0;
    const alone = await app.ask<Overview>("/overview", undefined, {
      ...app.session,
      "if-none-match": etag,
    });
    expect([alone.status, alone.data.nextRunAt]).toEqual([200, null]);
    await app.see([]);
    expect((await app.ask<Overview>("/overview")).data).toMatchObject({
      fixedFindings: 4,
      groups: [],
    });
  });

  test("tells of the run under way, which stands in the list of runs, too", async () => {
    const started = Promise.withResolvers<EngineWatch>();
    const block = Promise.withResolvers<void>();
    app.use(async (_job, watch) => {
      watch.progress({ step: "crawling", done: 2, total: 5, at: "/about/", findings: 1 });
      started.resolve(watch);
      await block.promise;
      return resultOf([]);
    });
    const { id } = await app.runs.start("heartbeat", "QA");
    await started.promise;
    const running = (await app.ask<Overview>("/overview")).data.currentRun;
    expect(running).toMatchObject({ id, status: "running", finishedAt: null, durationMs: null });
    block.resolve();
    await app.runs.idle();
    const { data } = await app.ask<List<QaRun>>("/runs?trigger=heartbeat");
    expect(data).toMatchObject({ total: 1, items: [{ id, status: "finished", progress: null }] });
    expect((await app.ask<QaRun>(`/run?id=${id}`)).data.durationMs).toBeGreaterThanOrEqual(0);
    expect((await app.ask<List<QaRun>>("/runs?status=failed")).data.total).toBe(0);
  });
});

describe("ignoring", () => {
  test("a finding, until it is opened again", async () => {
    await app.see([link()]);
    const { id } = await app.finding();
    const until = isoTime(app.clock.now() + 60_000).replace(/\.\d+Z$/, "Z");
    expect(
      (await app.ask("/ignore", { findingId: id, reason: " Meant so. ", until })).data,
    ).toEqual({
      ignored: 1,
    });
    const [ignored] = await app.findings("&status=ignored");
    expect(ignored?.ignored).toMatchObject({
      kind: "finding",
      reason: "Meant so.",
      by: "Ada",
      until: isoTime(Date.parse(until)),
    });
    const twice = await app.ask("/ignore", { findingId: id, reason: "x" });
    expect([twice.status, twice.error.code]).toEqual([409, "invalid_state"]);
    const [rule] = (await app.ask<List<IgnoreRuleRecord>>("/ignores")).data.items;
    expect(rule).toMatchObject({ kind: "finding", findings: 1, reason: "Meant so." });
    expect((await app.ask("/reopen", { findingId: id })).data).toEqual({ reopened: 1 });
    expect((await app.ask("/reopen", { findingId: id })).error.details).toEqual({ status: "open" });
    expect((await app.ask<List<IgnoreRuleRecord>>("/ignores")).data.total).toBe(0);
  });

  test("a check by a rule, in the name of the token that asks", async () => {
    await app.see([link(), link("/"), title()]);
    const headers = await app.token("Robot", ["write"]);
    const body = { check: "link.internal-broken", pageUrl: "/", reason: "Old." };
    expect((await app.ask("/ignore", body, headers)).data).toEqual({ ignored: 1 });
    const { items, ...paged } = (await app.ask<List<IgnoreRuleRecord>>("/ignores")).data;
    expect(paged).toEqual({ total: 1, page: 1, perPage: 25 });
    expect(items).toMatchObject([{ kind: "rule", check: body.check, pageUrl: "/", by: "Robot" }]);
    expect((await app.ask("/unignore", { id: items[0]?.id })).data).toEqual({ reopened: 1 });
  });

  test("all that there is, as a baseline", async () => {
    await app.see([link(), title()]);
    expect((await app.ask("/baseline", {})).data).toEqual({ ignored: 2 });
    await app.see([link(), title(), long()]);
    const found = await app.findings("&status=open");
    expect(found.map(({ check }) => check)).toEqual(["seo.title-length"]);
  });
});

describe("the export", () => {
  const download = async (query: string) => {
    const url = `${app.url}/api/adminqa/export${query}`;
    const { statusCode, headers, body } = await request(url, { headers: app.session });
    return { statusCode, headers, text: await body.text() };
  };

  test.each([
    ["", "application/json; charset=utf-8", "json"],
    ["?format=sarif", "application/sarif+json; charset=utf-8", "sarif"],
    ["?format=junit", "application/xml; charset=utf-8", "xml"],
    ["?format=csv", "text/csv; charset=utf-8; header=present", "csv"],
    ["?format=html", "text/html; charset=utf-8", "html"],
  ])("%s is a file of its type with all findings", async (query, type, ending) => {
    await app.see(Array.from({ length: 620 }, (_, i) => link("/", `/gone-${i}/`)));
    await app.ask("/ignore", {
      findingId: (await app.findings("&q=gone-77/"))[0]?.id,
      reason: "x",
    });
    const { statusCode, headers, text } = await download(query);
    expect([statusCode, headers["content-type"]]).toEqual([200, type]);
    const day = isoTime(app.clock.now()).slice(0, 10);
    expect(headers["content-disposition"]).toBe(`attachment; filename="findings-${day}.${ending}"`);
    expect(text.match(/\/gone-\d+\/ is not there/g)?.length).toBeGreaterThanOrEqual(619);
    expect(text).not.toContain("/gone-77/");
  });

  test("says where a finding is edited", async () => {
    await app.see([link()]);
    await app.ask("/fix", { findingId: (await app.finding()).id });
    const { findings } = JSON.parse((await download("")).text) as { findings: object[] };
    expect(findings).toMatchObject([{ source: "app/src/pages/about.astro:3" }]);
    expect((await download("?format=html")).text).toContain(
      "Source: <code>app/src/pages/about.astro:3</code>",
    );
  });

  test("takes the states that are named", async () => {
    await app.see([link()]);
    await app.see([title()]);
    const { findings } = JSON.parse((await download("?status=fixed")).text) as {
      findings: FindingRecord[];
    };
    expect(findings).toMatchObject([{ check: "link.internal-broken", status: "fixed" }]);
  });
});

test("a fix stands also when the runner can't be told", async () => {
  await app.see([link()]);
  app.wakeCount.error = new Error("The runner is gone.");
  const { status } = await app.ask("/fix", { findingId: (await app.finding()).id });
  expect([status, (await app.finding()).status]).toEqual([201, "queued"]);
});
