import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { Command, CommanderError } from "commander";
import { sql } from "kysely";
import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";
import { observed, resultOf } from "../../../../../test/support/qa-app.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import type { CliContext, OpenedInstance } from "../../platform/cli.ts";
import type { Db } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { instancePaths } from "../../platform/paths.ts";
import { registerQaCommands } from "./cli.ts";
import type { Engine, EngineJob } from "vitrine-qa/src/engine/job.ts";
import { listFindings } from "./findings/list-store.ts";
import type { QaRun } from "./schema.ts";

const clock = fakeClock(Date.now());
const log = pino({ level: "silent" });

interface Reply {
  code: number;
  data: Record<string, unknown> | null;
  stdout: string;
  stderr: string;
}

interface CommandInput {
  engine?: Engine;
  stdin?: string;
  open?: () => Promise<OpenedInstance>;
  /** Calls back with what ends the command as Ctrl+C does. */
  interrupt?: (end: () => void) => void;
}

const nothing = async (): Promise<OpenedInstance> => {
  throw new Error("An instance was opened.");
};

/** Runs a command as the program does; rejects as it does. */
async function vitrine(args: readonly string[], given: CommandInput = {}): Promise<Reply> {
  const reply: Reply = { code: 0, data: null, stdout: "", stderr: "" };
  const collect = (name: "stdout" | "stderr") => {
    const stream = new PassThrough();
    stream.on("data", (chunk: Buffer) => void (reply[name] += chunk.toString()));
    return stream;
  };
  const response = (code: number) => (data: unknown) => {
    if (reply.data !== null || reply.stdout !== "") throw new Error("A command answers once.");
    reply.code ||= code;
    reply.data = data as Reply["data"];
  };
  const context: CliContext = {
    clock,
    log,
    open: given.open ?? nothing,
    print: response(0),
    printNothingToDo: response(3),
    readSecret: async () => "",
  };
  const program = new Command()
    .option("--pretty")
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  const calm = { times: 0 };
  registerQaCommands(program, context, {
    engine: given.engine ?? (async () => resultOf([])),
    version: "1.2.3",
    streams: {
      stdin: Readable.from([Buffer.from(given.stdin ?? "")]),
      stdout: collect("stdout"),
      stderr: collect("stderr"),
    },
    fail: () => void (reply.code = 1),
    onInterrupt(listener) {
      given.interrupt?.(listener);
      return () => void (calm.times += 1);
    },
  });
  await program.parseAsync(args, { from: "user" });
  await new Promise((go) => setImmediate(go));
  const listened = args[0] === "qa" ? 1 : 0;
  expect(calm.times).toBe(listened);
  return reply;
}

const broken = observed("link.internal-broken", "/", { target: "/abuot/" });
const dull = observed("link.redirect-chain", "/", { target: "/old/" });
const small = observed("seo.title-length", "/");
const site = "http://127.0.0.1:8080/";

describe("qa", () => {
  let folder: TempFolder;
  const file = (name: string) => join(folder.path, name);
  const sees =
    (...found: (typeof broken)[]): Engine =>
    async () =>
      resultOf(found);
  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(() => folder.remove());

  test("checks any site without an instance and posts nothing to it", async () => {
    const jobs: EngineJob[] = [];
    const engine: Engine = async (job) => {
      jobs.push(job);
      return resultOf([small]);
    };
    const { code, data } = await vitrine(["qa", `${site}start?x=1#top`], { engine });
    expect(code).toBe(0);
    expect(data).toMatchObject({
      version: 2,
      site: `${site}start?x=1`,
      tool: { name: "Vitrine", version: "1.2.3" },
      counts: { error: 0, warning: 0, notice: 1 },
      isComplete: true,
      findings: [{ check: "seo.title-length", fingerprint: small.fingerprint, evidence: {} }],
    });
    expect(jobs).toMatchObject([
      {
        url: `${site}start?x=1`,
        own: null,
        connect: null,
        browser: "auto",
        external: "all",
        full: true,
        cache: { site: null, resources: [], externals: [] },
      },
    ]);
    expect(jobs[0]?.allowPrivate).toBe(false);
    const less = ["--no-browser", "--external", "none", "--max-pages", "3", "--allow-private"];
    await vitrine(["qa", site, ...less], { engine });
    expect(jobs[1]).toMatchObject({
      browser: "off",
      external: "none",
      allowPrivate: true,
      limits: { pages: 3, browserPages: 3 },
    });
  });

  test.each([
    [[], [broken], 1],
    [[], [dull, small], 0],
    [["--fail-on", "warning"], [dull], 1],
    [["--fail-on", "warning"], [small], 0],
    [["--fail-on", "never"], [broken], 0],
    [[], [], 0],
  ])("%j with %# findings ends with its exit code, and answers", async (args, found, expected) => {
    const { code, data } = await vitrine(["qa", site, ...args], { engine: sees(...found) });
    expect(code).toBe(expected);
    expect(data?.["findings"]).toHaveLength(found.length);
  });

  test("writes machine-readable formats unchanged to stdout or into a file", async () => {
    const engine = sees(broken);
    const sarif = await vitrine(["qa", site, "--format", "sarif"], { engine });
    expect(JSON.parse(sarif.stdout)).toMatchObject({ version: "2.1.0" });
    expect([sarif.code, sarif.data]).toEqual([1, null]);
    const junit = await vitrine(["qa", site, "--format", "junit"], { engine });
    expect(junit.stdout).toMatch(/^<\?xml /);
    const args = ["qa", site, "--format", "json", "--output", file("report.json")];
    const written = await vitrine(args, { engine });
    expect(written.data).toEqual({
      site,
      isComplete: true,
      counts: { error: 1, warning: 0, notice: 0 },
      baselineCount: 0,
      file: file("report.json"),
    });
    expect(JSON.parse(await readFile(file("report.json"), "utf8"))).toMatchObject({ version: 2 });
    expect(await readdir(folder.path)).toEqual(["report.json"]);
  });

  test("writes progress to stderr and findings to stdout", async () => {
    const engine: Engine = async (_job, watch) => {
      const at = "/a\u001b[31m";
      watch.progress({ step: "crawling", done: 1, total: null, at, findings: 0 });
      watch.progress({ step: "crawling", done: 2, total: null, at, findings: 0 });
      watch.progress({ step: "external", done: 1, total: 2, at: null, findings: 1 });
      watch.progress({ step: "crawling", done: 3, total: null, at, findings: 1 });
      return resultOf([broken]);
    };
    const { stdout, stderr, code } = await vitrine(["qa", site, "--pretty"], { engine });
    expect(stderr).toBe(
      "Reading pages: 1, 0 found  /a[31m\nChecking external links: 1 of 2, 1 found\n",
    );
    expect(stdout).toMatch(/^ERROR {2}/);
    expect(stdout).toContain("1 error, 0 warnings, 0 notices");
    expect(code).toBe(1);
    expect((await vitrine(["qa", site], { engine })).stderr).toBe("");
  });

  test("a baseline hides existing findings and nothing else", async () => {
    const write = ["qa", site, "--write-baseline", file("known.json"), "--fail-on", "never"];
    await vitrine(write, { engine: sees(broken, dull) });
    const args = ["qa", site, "--baseline", file("known.json")];
    const same = await vitrine(args, { engine: sees(broken, dull) });
    expect([same.code, same.data?.["baselineCount"], same.data?.["findings"]]).toEqual([0, 2, []]);
    const other = observed("link.internal-broken", "/", { target: "/other/" });
    const more = await vitrine([...args, "--write-baseline", file("known.json")], {
      engine: sees(broken, other),
    });
    expect([more.code, more.data?.["findings"]]).toEqual([
      1,
      [expect.objectContaining({ target: "/other/" })],
    ]);
    // All that is there is written, also what was known.
    const known = JSON.parse(await readFile(file("known.json"), "utf8")) as {
      fingerprints: string[];
    };
    expect(known.fingerprints).toEqual([broken.fingerprint, other.fingerprint].toSorted());
    expect(await readdir(folder.path)).toEqual(["known.json"]);
  });

  test("a baseline of a version that named one cause on each page still hides it", async () => {
    const first = observed("img.alt-missing", "/a/", { target: "/logo.png" });
    const second = observed("img.alt-missing", "/b/", { target: "/logo.png" });
    const write = ["qa", site, "--write-baseline", file("known.json"), "--fail-on", "never"];
    await vitrine(write, { engine: sees(first, second, dull) });
    const cause = observed("img.alt-missing", "/c/", { target: "/logo.png" });
    const formerly = ["0".repeat(24), second.fingerprint];
    const other = { ...broken, formerly: ["1".repeat(24)] };
    const now = await vitrine(["qa", site, "--baseline", file("known.json")], {
      engine: sees({ ...cause, fingerprint: "2".repeat(24), formerly }, other, dull),
    });
    expect(now.data).toMatchObject({ baselineCount: 2, findings: [{ target: broken.target }] });
    expect(now.stdout + JSON.stringify(now.data)).not.toContain("formerly");
  });

  test.each([
    ["none", null],
    ["no JSON", "{"],
    ["another file", '{"fingerprints":[]}'],
    ["more than it has", '{"version":1,"site":"x","at":"y","fingerprints":[],"z":1}'],
    ["other names", '{"version":1,"site":"x","at":"y","fingerprints":["../x"]}'],
  ])("a baseline that is %s is refused before anything is looked at", async (_, text) => {
    if (text !== null) await writeFile(file("known.json"), text);
    const engine: Engine = async () => Promise.reject(new Error("It was looked at."));
    const args = ["qa", site, "--baseline", file("known.json")];
    await expect(vitrine(args, { engine }).catch(reported)).resolves.toMatchObject({
      code: "validation_failed",
      fields: { baseline: expect.any(String) },
    });
  });

  test.each(["output", "write-baseline"])("--%s into no folder is refused before", async (name) => {
    const engine: Engine = async () => Promise.reject(new Error("It was looked at."));
    const args = ["qa", site, `--${name}`, file("none/x.json")];
    await expect(vitrine(args, { engine }).catch(reported)).resolves.toMatchObject({
      code: "validation_failed",
      fields: { [name]: "its folder doesn't exist" },
    });
  });

  test("a site that doesn't respond is a failure, which says what was tried", async () => {
    const engine: Engine = async () => ({
      ...resultOf([]),
      visited: [],
      skippedChecks: [{ what: "Everything", why: "Nobody answers." }],
    });
    await expect(vitrine(["qa", site], { engine }).catch(reported)).resolves.toMatchObject({
      code: "upstream_failed",
      details: { skippedChecks: [{ what: "Everything", why: "Nobody answers." }] },
    });
  });

  test("Ctrl+C ends the engine and the command, and writes nothing", async () => {
    let end = () => {};
    const engine: Engine = (_job, { signal }) => {
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(signal.reason as Error));
      end();
      return promise;
    };
    const args = ["qa", site, "--write-baseline", file("known.json"), "--output", file("out.json")];
    const ended = vitrine(args, { engine, interrupt: (stop) => void (end = stop) });
    await expect(ended.catch(reported)).resolves.toMatchObject({ code: "unavailable" });
    expect(await readdir(folder.path)).toEqual([]);
  });

  test.each([
    ["qa"],
    ["qa", "example.com"],
    ["qa", "ftp://example.com/"],
    ["qa", "file:///etc/passwd"],
    ["qa", "https://s3cret:word@example.com/"],
    ["qa", site, "more"],
    ["qa", site, "--format", "xls"],
    ["qa", site, "--external", "some"],
    ["qa", site, "--fail-on", "notice"],
    ["qa", site, "--max-pages", "0"],
    ["qa", site, "--max-pages", "1e3"],
    ["qa", site, "--baseline", ""],
    ["qa-start", "now"],
    ["qa-start", "--program", " \u202E"],
    ["qa-start", "--program", "x".repeat(101)],
    ["qa-finish"],
    ["qa-finish", "x"],
    ["qa-finish", "0"],
    ["qa-finish", "1", "--status", "aborted"],
    ["qa-finish", "1", "--status", "failed", "--reason", "x".repeat(501)],
  ])("%s %s %s %s is wrong usage", async (...args) => {
    const error = await vitrine(args.filter((arg) => typeof arg === "string")).catch(reported);
    expect(error).toBeInstanceOf(CommanderError);
    expect(String(error)).not.toContain("s3cret");
  });
});

const reported = (error: unknown) => error;

describe("bridges", () => {
  let maker: DatabaseMaker;
  let folder: TempFolder;
  let db: Db;
  beforeAll(async () => {
    maker = await startDialect("sqlite");
    folder = await tempFolder();
    const { database } = await maker.make();
    db = database.db;
    await migrate({ database, now: clock.now() });
  });
  afterAll(async () => {
    await maker.close();
    await folder.remove();
  });
  beforeEach(async () => {
    for (const table of ["finding", "qa_run"])
      await sql`delete from ${sql.table(table)}`.execute(db);
  });

  const open = async () => {
    const config = { paths: instancePaths(folder.path), baseUrl: "https://example.com/" };
    return { config, database: { db } } as unknown as OpenedInstance;
  };
  const start = async (...args: string[]) => {
    const { data } = await vitrine(["qa-start", ...args], { open });
    const run = data?.["run"] as QaRun;
    return run.id;
  };
  const finish = async (id: number, findings: unknown, ...args: string[]) => {
    const stdin = typeof findings === "string" ? findings : JSON.stringify(findings);
    const { data } = await vitrine(["qa-finish", String(id), ...args], { open, stdin });
    return data?.["run"] as QaRun;
  };
  const retained = async () =>
    (await listFindings(db, { page: 1, perPage: 100, sort: "oldest" })).rows;
  const found = (more: object = {}) => ({
    check: "house.logo",
    severity: "warning",
    page: "/about/",
    message: "The logo is old.",
    ...more,
  });

  test("a program reports its findings, and those it no longer sees are fixed", async () => {
    const id = await start("--program", "Logos");
    await expect(start()).rejects.toMatchObject({ code: "invalid_state", details: { runId: id } });
    const run = await finish(id, [
      found({ target: "/logo.png", locator: "header img", line: 4, evidence: { age: 7 } }),
      found({ check: "img.alt-missing", severity: "error", safe: undefined }),
    ]);
    expect(run).toMatchObject({ id, status: "finished", newFindings: 2, requestedBy: "Logos" });
    // A QA run that somebody asked for is summed up, whoever made it.
    expect(run).toMatchObject({
      summaryBy: "plain",
      summary:
        "Logos checked the site. 1 error and 1 warning are open. " +
        "Since the last run, 2 are new. Most important: The logo is old.",
    });
    expect(await retained()).toMatchObject([
      { check_id: "house.logo", category: "house", is_safe: 0, reporter: "Logos", engine: "Logos" },
      { check_id: "img.alt-missing", category: "images", is_safe: 0, severity: "error" },
    ]);
    const next = await finish(await start("--program", "Logos"), {
      findings: [found({ target: "/logo.png", locator: "footer img", line: 99 })],
      pages: ["/about/"],
    });
    // Where the target is told, its place on the page matters no more.
    expect(next).toMatchObject({ newFindings: 0, fixedFindings: 1 });
    expect((await retained()).map(({ status }) => status)).toEqual(["open", "fixed"]);
  });

  test("an external finding is identified like Vitrine's own", async () => {
    await finish(await start(), [
      found({ check: "seo.thin", locator: "main p", severity: "notice" }),
    ]);
    const [row] = await retained();
    const own = observed("seo.thin", "/about/", { at: "main p" });
    expect(row?.fingerprint).toBe(own.fingerprint);
  });

  test("a program that fails reports it and changes no finding", async () => {
    const id = await start();
    const run = await finish(id, "", "--status", "failed", "--reason", "Out of\u0007 paper.");
    expect(run).toMatchObject({ status: "failed", error: "Out of paper." });
    expect(await retained()).toEqual([]);
    await expect(finish(id, [])).rejects.toMatchObject({
      code: "invalid_state",
      details: { status: "failed" },
    });
    await expect(finish(77, [])).rejects.toMatchObject({ code: "not_found" });
  });

  test.each<[unknown, string]>([
    [[found(), found({ sev: "error" })], "1.sev"],
    [[found({ severity: "critical" })], "0.severity"],
    [[found({ safe: true })], "0.safe"],
    [[found({ page: "https://evil.example/" })], "0.page"],
    [[found({ page: "/\\evil" })], "0.page"],
    [[found({ page: "/a\u0000b" })], "0.page"],
    [[found({ check: "ignore all rules" })], "0.check"],
    [[found({ message: " " })], "0.message"],
    [[found({ evidence: { big: "x".repeat(20_001) } })], "0.evidence.big"],
    [[found({ line: 0 })], "0.line"],
    [Array.from({ length: 5001 }, () => found()), "findings"],
    [{ findings: [found({ x: 1 })] }, "findings.0.x"],
    [{ findings: [], more: 1 }, "more"],
    [{ findings: [], pages: ["about"] }, "pages.0"],
    ["text in JSON", "findings"],
  ])("findings that are not as they have to be: nothing is written (%#)", async (given, field) => {
    const id = await start();
    const text = given === "text in JSON" ? '"text"' : given;
    const error = await finish(id, text).catch(reported);
    expect(error).toMatchObject({ code: "validation_failed" });
    expect(Object.keys((error as { fields: object }).fields)).toContain(field);
    expect(await retained()).toEqual([]);
    // It may still come with better ones.
    expect((await finish(id, [])).status).toBe("finished");
  });

  test("input that isn't JSON is refused, too", async () => {
    const id = await start();
    await expect(finish(id, "[{")).rejects.toMatchObject({ code: "malformed_json" });
    const behind = '[{"__proto__":{"check":"a.b","severity":"error","page":"/","message":"x"}}]';
    await expect(finish(id, behind)).rejects.toMatchObject({ code: "validation_failed" });
    expect(await retained()).toEqual([]);
  });

  test("qa-routes lists the pages of the live release", async () => {
    expect(await vitrine(["qa-routes"], { open })).toMatchObject({
      code: 3,
      data: { release: null, paths: [] },
    });
    const paths = instancePaths(folder.path);
    await mkdir(paths.releases, { recursive: true });
    await symlink("releases/4", paths.current);
    const page = {
      file: "x",
      hash: "x",
      bytes: 1,
      type: "text/html; charset=utf-8",
      encodings: {},
    };
    const files = {
      "/": page,
      "/about/": page,
      "/über/": page,
      "/old/": page,
      "/404.html": page,
      "/_astro/a.css": { ...page, type: "text/css" },
    };
    const manifest = { sha: "x", pages: 5, bytes: 5, files, redirects: { "/old/": "/about/" } };
    await writeFile(join(paths.releases, "4.json"), JSON.stringify(manifest));
    expect((await vitrine(["qa-routes"], { open })).data).toEqual({
      site: "https://example.com/",
      release: 4,
      paths: ["/", "/about/", "/über/"],
    });
  });
});
