import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import pino from "pino";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { goodPage, goodStyle } from "../../../../test/support/built-site.ts";
import { engineJob } from "../../../../test/support/engine-job.ts";
import { defaultQaLimits } from "../limits.ts";
import { isReportedByMarkup } from "./browser-checks.ts";
import { runEngine } from "./engine.ts";
import type { EngineJob, EngineResult, EngineWatch, Progress } from "./job.ts";
import { makeEngine } from "./engine-process.ts";

/** What the site answers, by path; a test changes it. */
let responses: Map<string, string>;
let requests: string[];
let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer(({ url = "", headers }, response) => {
    requests.push(url);
    const body = responses.get(url);
    const etag = `"${body?.length}"`;
    if (body === undefined) response.writeHead(404, { "content-type": "text/html" }).end("No page");
    else if (headers["if-none-match"] === etag) response.writeHead(304).end();
    else {
      const types = { css: "text/css", txt: "text/plain" } as Record<string, string>;
      const type = types[url.split(".")[1] ?? ""] ?? "text/html; charset=utf-8";
      response.writeHead(200, { "content-type": type, etag }).end(body);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const page = (path: string, main: string) =>
  goodPage(path, main).replaceAll("https://example.com", origin);

beforeEach(() => {
  requests = [];
  responses = new Map([
    ["/", page("/", `<h1>Home</h1><p>Work.</p><a href="/about/">About me</a>`)],
    ["/about/", page("/about/", `<h1>About</h1><p>Me.</p><a href="/gone/">Old work</a>`)],
    ["/site.css", goodStyle],
  ]);
});

const job = (over: Partial<EngineJob> = {}): EngineJob =>
  engineJob(`${origin}/`, {
    limits: { ...defaultQaLimits, phaseSeconds: 2, seconds: 30 },
    ...over,
  });

function watch(seen: Progress[] = []): EngineWatch & { end: AbortController } {
  const end = new AbortController();
  return {
    end,
    signal: end.signal,
    progress: (progress) => void seen.push(progress),
    countMessages: async () => null,
  };
}

const checksOf = ({ observations }: EngineResult) => observations.map(({ check }) => check);

test("addresses that aren't public are requested only if that is allowed", async () => {
  const other = createServer((_, response) => response.writeHead(404).end()).listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const link = `http://127.0.0.1:${(other.address() as AddressInfo).port}/gone`;
  responses.set("/", page("/", `<h1>Home</h1><p>Work.</p><a href="${link}">Elsewhere</a>`));
  const external = "all" as const;
  expect(checksOf(await runEngine(job({ external }), watch()))).not.toContain("ext.broken");
  const allowed = await runEngine(job({ external, allowPrivate: true }), watch());
  expect(checksOf(allowed)).toContain("ext.broken");
});

test("a QA run reports each defect once, with its places, and reports its progress", async () => {
  const seen: Progress[] = [];
  const result = await runEngine(job(), watch(seen));
  expect(result).toMatchObject({ isUnchanged: false, isComplete: true });
  expect(result.visited.toSorted()).toEqual(["/", "/about/"]);
  const broken = result.observations.filter(({ check }) => check === "link.internal-broken");
  expect(broken).toMatchObject([
    {
      page: "/about/",
      target: "/gone/",
      severity: "error",
      scope: "page",
      engine: "test 1",
      occurrenceCount: 1,
      occurrences: [{ page: "/about/", text: "Old work" }],
    },
  ]);
  expect(seen.map(({ step }) => step)).toEqual(expect.arrayContaining(["connecting", "checking"]));
});

test("a defect that pages share is one finding, with each of its places", async () => {
  const nav = `<nav><a href="/gone/">Old work</a></nav>`;
  for (const path of ["/", "/about/"]) {
    responses.set(path, (responses.get(path) ?? "").replace(/<nav>.*<\/nav>/s, nav));
  }
  const { observations } = await runEngine(job(), watch());
  const shared = observations.filter(({ target }) => target === "/gone/");
  // In the navigation of both pages, and in the text of one.
  expect(shared).toMatchObject([{ pageCount: 2, occurrenceCount: 3 }]);
  const places = shared[0]?.occurrences.map(({ page: at }) => at).toSorted();
  expect(places).toEqual(["/", "/about/", "/about/"]);
});

test("a defect at several places of a page is one finding, with each of them", async () => {
  responses.set(
    "/about/",
    page(
      "/about/",
      `<h1>About</h1><p><a href="/gone/">One</a></p>\n<p><a href="/gone/">Two</a></p>`,
    ),
  );
  const { observations } = await runEngine(job(), watch());
  const gone = observations.filter(({ check }) => check === "link.internal-broken");
  expect(gone).toHaveLength(1);
  expect(gone[0]).toMatchObject({ occurrenceCount: 2, pageCount: 1 });
  expect(gone[0]?.occurrences.map(({ text }) => text)).toEqual(["One", "Two"]);
});

test("an unchanged site isn't checked again, a changed one is", async () => {
  const first = await runEngine(job(), watch());
  const again = await runEngine(job({ cache: first.cache }), watch());
  expect(again).toMatchObject({ isUnchanged: true, isComplete: true, observations: [] });
  expect(again.visited.toSorted()).toEqual(first.visited.toSorted());
  expect(again.unchangedChecks).toContain("page.duplicate-content");

  responses.set("/about/", page("/about/", `<h1>About</h1><p>Me, mended.</p>`));
  const fixed = await runEngine(job({ cache: again.cache }), watch());
  expect(fixed.isUnchanged).toBe(false);
  expect(checksOf(fixed)).not.toContain("link.internal-broken");
  const other = await runEngine(job({ cache: first.cache, engine: "test 2" }), watch());
  expect(other.isUnchanged).toBe(false);
});

test("a changed robots.txt is noticed although no page has changed", async () => {
  responses.set("/robots.txt", "User-agent: *\nDisallow: /admin\n");
  const first = await runEngine(job(), watch());
  responses.set("/robots.txt", "User-agent: *\nDisallow: /\n");
  const shut = await runEngine(job({ cache: first.cache }), watch());
  expect(checksOf(shut)).toContain("seo.robots-blocks-page");
});

test("if a site doesn't respond, none of its findings count as fixed", async () => {
  const dead = await runEngine(job({ url: "http://127.0.0.1:9/" }), watch());
  expect(dead).toMatchObject({ isComplete: false, visited: [] });
  expect(dead.skippedChecks[0]?.why).toMatch(/can’t be reached/);
});

test("a QA run of another site posts nothing and probes no address of Vitrine", async () => {
  const form = `<form method="post" action="/send"><input name="website" hidden></form>`;
  responses.set("/", page("/", `<h1>Home</h1><p>Work.</p>${form}`));
  await runEngine(job(), watch());
  expect(requests.filter((url) => /^\/(?:send|devconsole|api|admin)/.test(url))).toEqual([]);
});

test("a QA run in its own process has the same result and can be aborted", async () => {
  const log = pino({ level: "silent" });
  const engine = makeEngine({ log, tempDir: tmpdir() });
  const here = await runEngine(job(), watch());
  const there = await engine(job(), watch());
  const names = (result: EngineResult) => result.observations.map((one) => one.fingerprint);
  expect(names(there).toSorted()).toEqual(names(here).toSorted());

  const ended = watch();
  const running = engine(job(), ended);
  ended.end.abort(new Error("enough"));
  await expect(running).rejects.toThrow("enough");
});

test("what the markup checks report on a page isn't reported a second time", () => {
  const markup = new Map([
    ["/", new Set(["img.alt-missing"])],
    ["/app/", new Set<string>()],
  ]);
  const reported = (path: string, rule: string) =>
    isReportedByMarkup({ markup }, path, { evidence: { rule } });
  expect(reported("/", "image-alt")).toBe(true);
  expect(reported("/", "link-name")).toBe(true);
  expect(reported("/", "document-title")).toBe(false);
  // Only a browser sees what a script has put there.
  expect(reported("/app/", "image-alt")).toBe(false);
  expect(reported("/not-read-now/", "image-alt")).toBe(true);
  expect(reported("/not-read-now/", "tabindex")).toBe(false);
});
