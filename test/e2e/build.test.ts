import { execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, statfs, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { defaultLimits, type Limits } from "../../packages/server/src/platform/config.ts";
import { exists } from "../../packages/server/src/platform/files.ts";
import { nodeBinary, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { killTree, processTree } from "../../packages/server/src/platform/process-tree.ts";
import {
  type Artifact,
  BuildFailed,
  type BuildJob,
  makeSiteBuilder,
  type SiteBuilder,
} from "../../packages/server/src/features/release/builder/build.ts";
import { readManifest } from "../../packages/server/src/features/release/artifact/artifact.ts";
import type { Snapshot } from "../../packages/server/src/features/release/snapshot.ts";
import { eventually } from "../support/eventually.ts";
import { maxEventLoopDelay } from "../support/event-loop-delay.ts";
import { placesWithin, runInMachineWithout } from "../support/machine-without.ts";
import { isRoot } from "../support/publish/machine.ts";
import { sharedCode, withSharedCode } from "../support/builder-code.ts";
import { type TempFolder, tempFolder } from "../support/temp.ts";

const run = promisify(execFile);
const log = pino({ level: "silent" });
const snapshot: Snapshot = {
  site: { baseUrl: "https://example.com", ownerName: "Owner", timeZone: "UTC" },
  projects: [],
  changelog: [],
  redirects: [],
};

let instance: TempFolder;
let builder: SiteBuilder;
let content: TempFolder;

function paths(folder: TempFolder) {
  return {
    artifacts: join(folder.path, "artifacts"),
    builders: join(folder.path, "builders"),
    compiledSites: join(folder.path, "compiled"),
  };
}

/** Cold unless told: a builder kept warm costs each test a second build. */
function makeBuilder(folder: TempFolder, limits: Partial<Limits["build"]> = {}) {
  const opening = makeSiteBuilder({
    paths: { ...paths(folder), ...sharedCode },
    limits: { ...defaultLimits.build, warm: false, ...limits },
    sandbox: "require",
    log,
    clock: systemClock,
  });
  return withSharedCode(opening);
}

async function write(path: string, text: string, to = content): Promise<void> {
  const file = join(to.path, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

function build(extra: Partial<BuildJob> = {}, by = builder, from = content): Promise<Artifact> {
  return by.build({
    sourceDir: from.path,
    mediaDir: join(from.path, "app/public/media"),
    snapshot,
    ...extra,
  });
}

/** A page whose code runs in the build and shows what it found as JSON. */
function hostilePage(code: string): string {
  return `---
import fs from "node:fs";
import net from "node:net";
import dns from "node:dns/promises";
import os from "node:os";
import child_process from "node:child_process";
import { getCompileCacheDir } from "node:module";
const attempt = async (work) => { try { return await work(); } catch (error) { return "refused: " + (error.code ?? error.message); } };
const found = {};
${code}
---
<html><body><pre id="found" set:html={"<!--" + JSON.stringify(found) + "-->"} /></body></html>
`;
}

async function foundBy(artifact: Artifact, page = "hostile"): Promise<Record<string, unknown>> {
  const html = await readFile(join(artifact.dir, page, "index.html"), "utf8");
  return JSON.parse(/<!--(.*)-->/s.exec(html)?.[1] ?? "null") as Record<string, unknown>;
}

async function failureOf(result: Promise<unknown>): Promise<BuildFailed> {
  const error = await result.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BuildFailed);
  return error as BuildFailed;
}

/** Processes on this machine whose command line contains a word. */
function processesWith(word: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
    } catch {
      return false;
    }
  });
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** Builds once in a process of its own: arguments are its folder, the sandbox mode, the content, and perhaps `code`, which has the program's code compiled before. */
const supervisorScript = `
import { makeSiteBuilder } from ${JSON.stringify(join(platformRoot, "packages/server/src/features/release/builder/build.ts"))};
import { defaultLimits } from ${JSON.stringify(join(platformRoot, "packages/server/src/platform/config.ts"))};
const [, , dir, sandbox, sourceDir] = process.argv;
const log = { warn() {}, info() {} };
const clock = { now: Date.now, monotonic: () => performance.now() };
try {
  const builder = await makeSiteBuilder({ paths: { artifacts: dir + "/artifacts", builders: dir + "/builders", compiledSites: dir + "/compiled", builderCode: dir + "/code" }, limits: { ...defaultLimits.build, warm: false }, sandbox, log, clock });
  if (process.argv[5] === "code") await builder.compileCode();
  const artifact = await builder.build({ sourceDir, mediaDir: dir + "/none", onLog: (line) => line.includes("in the page") && console.log(line), snapshot: ${JSON.stringify(snapshot)} });
  console.log(JSON.stringify({ tier: builder.tier, reason: builder.reason, pages: artifact.pages, sha: artifact.sha }));
  await builder.close();
} catch (error) {
  console.log(JSON.stringify({ code: error.code, message: error.message }));
}
`;

beforeAll(async () => {
  instance = await tempFolder();
  builder = await makeBuilder(instance);
});
afterAll(async () => {
  await builder.close();
  await instance.remove();
});
/** A small site of two pages, in a folder of its own. */
async function makeContent(): Promise<TempFolder> {
  const made = await tempFolder();
  await write(
    "app/src/layouts/Base.astro",
    `---\nconst { title } = Astro.props;\n---\n<!doctype html><html lang="en"><head><title>{title}</title></head><body><h1>{title}</h1><slot /></body></html><style>h1 { color: teal }</style>\n`,
    made,
  );
  for (const name of ["index", "about"]) {
    await write(
      `app/src/pages/${name}.astro`,
      `---\nimport Base from "../layouts/Base.astro";\n---\n<Base title="${name}"><p>Hello</p></Base>\n`,
      made,
    );
  }
  await write("app/public/robots.txt", "User-agent: *\n", made);
  return made;
}

beforeEach(async () => {
  content = await makeContent();
});
afterEach(() => content.remove());

describe("the artifact of a build", () => {
  let site: TempFolder;
  let artifact: Artifact;
  const file = (name: string) => readFile(join(artifact.dir, name), "utf8");

  beforeAll(async () => {
    site = await makeContent();
    await write("app/public/media/2026/a.webp", "picture", site);
    await write("app/src/pages/projects/new.astro", "<p>New</p>", site);
    await write("app/src/pages/projects/taken.astro", "<p>Taken</p>", site);
    const lead = (from: string) => ({ from: `/projects/${from}/`, to: "/projects/new/" });
    const redirects = [lead("old"), lead("taken")];
    artifact = await build({ snapshot: { ...snapshot, redirects } }, builder, site);
  });
  afterAll(() => site.remove());

  test("is made in bubblewrap here, of pages, public files and linked media", async () => {
    expect([builder.tier, builder.reason]).toEqual(["bubblewrap", null]);
    // Index, about, new and taken; the one at the old address counts for none.
    expect(artifact.pages).toBe(4);
    expect(await file("about/index.html")).toContain("<p>Hello</p>");
    expect(await file("media/2026/a.webp")).toBe("picture");
    expect(await exists(join(artifact.dir, "robots.txt"))).toBe(true);
    expect(artifact.durationMs).toBeGreaterThan(0);
  });

  test("has a page at every old address but where the site has one, and none in the sitemap", async () => {
    expect(await file("projects/old/index.html")).toContain("0;url=/projects/new/");
    expect(await file("projects/taken/index.html")).toContain("<p>Taken</p>");
    const sitemap = await file("sitemap-0.xml");
    expect(sitemap).toContain("/projects/taken/");
    expect(sitemap).not.toContain("/projects/old/");
    expect((await readManifest(`${artifact.dir}.json`)).redirects).toEqual({
      "/projects/old/": "/projects/new/",
    });
  });
});

describe("a build", () => {
  test.each([
    ["a syntax error", `---\nconst a = ;\n---\n<p>x</p>`, /^app\/src\/pages\/bad\.astro:2:\d+ \S/],
    [
      "an unclosed tag",
      `<html><body><div></p></div></body></html>`,
      /^app\/src\/pages\/bad\.astro:1:\d+ .*p/,
    ],
    [
      "a missing import",
      `---\nimport N from "../N.astro";\n---\n<N />`,
      /^app\/src\/pages\/bad\.astro:2:\d+ .*N\.astro/,
    ],
    [
      "an error while rendering",
      `---\nconst x = undefined;\nconst y = x.foo;\n---\n<p>{y}</p>`,
      /^app\/src\/pages\/bad\.astro(:3)? .*reading 'foo'/,
    ],
    [
      "an unknown component",
      `<html><body><Nope /></body></html>`,
      /^app\/src\/pages\/bad\.astro .*Nope is not defined/,
    ],
  ])("says where %s is, in words of the content", async (_what, source, expected) => {
    await write("app/src/pages/bad.astro", source);
    const failure = await failureOf(build());
    expect(failure.errors[0]).toMatch(expected);
    expect(failure.code).toBe("validation_failed");
    for (const error of failure.errors) expect(error).not.toMatch(/\/site|node_modules|\p{Cc}/u);
  });

  test("says where a JSON file is broken, which the bundler does not", async () => {
    await write("app/src/content/words.json", `{\n  "a": "b,\n  "c": 1\n}`);
    const page = `---\nimport words from "../content/words.json";\n---\n<p>{words.c}</p>`;
    await write("app/src/pages/words.astro", page);
    const failure = await failureOf(build());
    expect(failure.errors).toEqual([
      expect.stringMatching(/^app\/src\/content\/words\.json:2:\d+ \S/),
    ]);
  });

  test("that is aborted ends with the reason, and with everything it had started", async () => {
    await write(
      "app/src/pages/hostile.astro",
      hostilePage(`console.log("in the page"); while (true) {}`),
    );
    const stop = new AbortController();
    const reason = new Error("the owner pressed stop");
    const result = build({
      signal: stop.signal,
      onLog: (line) => line.includes("in the page") && stop.abort(reason),
    });
    await expect(result).rejects.toBe(reason);
    await expect(build({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test("keeps the end of a long log and hands out its lines as they come", async () => {
    await write(
      "app/src/pages/hostile.astro",
      hostilePage(`for (let i = 0; i < 20000; i += 1) console.log("line " + i + "\\u001b[31m" + "x".repeat(30));
await new Promise((done) => setTimeout(done, 200)); throw new Error("enough");`),
    );
    const lines: string[] = [];
    const failure = await failureOf(build({ onLog: (line) => lines.push(line) }));
    expect(failure.log.length).toBeLessThanOrEqual(200_000);
    expect(failure.log).toContain("line 19999");
    expect(lines).toContain(`line 0${"x".repeat(30)}`);
    expect(lines.join("\n").length).toBeLessThanOrEqual(200_000);
  });
});

describe("a builder that is kept warm", () => {
  let folder: TempFolder;
  let keeping: SiteBuilder;

  beforeAll(async () => {
    folder = await tempFolder();
    keeping = await makeBuilder(folder, { warm: true });
  });
  afterAll(async () => {
    await keeping.close();
    await folder.remove();
  });

  test("gives the same bytes as a cold one, which takes over when it is in use or has died, and leaves nothing behind", async () => {
    await keeping.waitUntilWarm();
    // One of the two gets the warm builder; the next is prepared when no build runs.
    const [warm, cold] = await Promise.all([build({}, keeping), build({}, keeping)]);
    expect(cold.sha).toBe(warm.sha);
    await keeping.waitUntilWarm();
    // Nobody waits for the removal of what a build has left.
    const slots = () => readdir(paths(folder).builders);
    // One that can compile, and one that only renders.
    await eventually(async () => expect(await slots()).toHaveLength(2));

    const own = async () =>
      processTree(process.pid).filter((pid) => processesWith("builder.ts").includes(`${pid}`));
    const waiting = await own();
    expect(waiting.length).toBeGreaterThan(0);
    for (const pid of waiting) killTree(pid);
    // Ended is not enough: it has to be known here, or the next build is given to the dead one.
    const left = async () => processTree(process.pid).filter((pid) => waiting.includes(pid));
    await eventually(async () => expect(await left()).toEqual([]));
    expect((await build({}, keeping)).sha).toBe(warm.sha);
  });
});

/** What hostile pages try, each with code that notes what came of it. */
const attempts = {
  environment: (looked: readonly string[]) => `
found.env = Object.keys(process.env);
found.uid = process.getuid();
found.root = fs.readdirSync("/");
found.seen = ${JSON.stringify(looked)}.filter((path) => fs.existsSync(path));
found.environments = fs.readdirSync("/proc").filter((n) => /^\\d+$/.test(n)).map((n) => { try { return fs.readFileSync("/proc/" + n + "/environ", "utf8"); } catch { return ""; } }).join("");
found.commands = fs.readdirSync("/proc").filter((n) => /^\\d+$/.test(n)).map((n) => { try { return fs.readFileSync("/proc/" + n + "/cmdline", "utf8"); } catch { return ""; } });
found.climb = await attempt(() => fs.readdirSync("/proc/1/root/"));
found.mounts = fs.readFileSync("/proc/self/mountinfo", "utf8");
`,
  records: () => `
found.files = fs.readdirSync("/site/database");
found.globbed = Object.keys(import.meta.glob("../../../database/*.json"));
`,
  network: ({ port, socketPath, abstract }: Listeners) => `
const connect = (options) => attempt(() => new Promise((done, failed) => { const s = net.connect(options, () => done("connected")); s.on("error", failed); s.setTimeout(2000, () => failed(new Error("timeout"))); }));
found.loopback = await connect({ port: ${port}, host: "127.0.0.1" });
found.outside = await connect({ port: 53, host: "1.1.1.1" });
found.unix = await connect({ path: ${JSON.stringify(socketPath)} });
found.abstract = await connect({ path: ${JSON.stringify(abstract)} });
found.name = await attempt(() => dns.lookup("example.com"));
found.resolver = await attempt(() => new dns.Resolver({ timeout: 500, tries: 1 }).resolve4("example.com"));
found.fetch = await attempt(() => fetch("http://127.0.0.1:${port}/").then((r) => r.status));
found.interfaces = Object.keys(os.networkInterfaces()).filter((name) => name !== "lo");
`,
  daemon: (word: string) => `
const code = "const w = '${word}'; process.on('SIGTERM', () => {}); process.on('SIGHUP', () => {}); setInterval(() => require('fs').appendFileSync('/out/alive.txt', 'x'), 5)";
const outer = "require('child_process').spawn(process.execPath, ['-e', process.argv[1]], { detached: true, stdio: 'ignore' }).unref(); process.exit()";
child_process.spawn(process.execPath, ["-e", outer, code], { detached: true, stdio: "ignore" }).unref();
await new Promise((done) => { const look = setInterval(() => { if (fs.existsSync("/out/alive.txt")) { clearInterval(look); done(); } }, 10); });
found.started = true;
`,
  tampering: () => `
found.before = fs.existsSync("/tmp/poison.txt");
fs.writeFileSync("/tmp/poison.txt", "x");
fs.mkdirSync("/tmp/cache", { recursive: true });
fs.writeFileSync("/tmp/cache/poison.txt", "x");
const targets = ["/node_modules/astro/package.json", "/node_modules/poison.js", "/platform/packages/server/src/features/release/builder/builder.ts", "/platform/package.json", "/site/app/src/pages/index.astro", "/site/snapshot.json", "/node", "/prlimit", "/usr/lib/poison", "/poison", "/dev/poison"];
found.written = [];
for (const target of targets) if (!String(await attempt(() => fs.appendFileSync(target, "x"))).startsWith("refused")) found.written.push(target);
found.remount = await attempt(() => fs.renameSync("/node_modules", "/tmp/node_modules"));
`,
};

interface Listeners {
  port: number;
  socketPath: string;
  abstract: string;
}

describe("hostile pages of one build", () => {
  const word = `survivor-${process.pid}-${Date.now()}`;
  /** What has reached the servers on this machine. */
  const hits: string[] = [];
  let site: TempFolder;
  let artifact: Artifact;
  let survivors: string[];

  async function listen(): Promise<Listeners & AsyncDisposable> {
    const socketPath = join(instance.path, "probe.sock");
    const abstract = `\0vitrine-probe-${process.pid}`;
    const servers = await Promise.all(
      [{ port: 0, host: "127.0.0.1" }, { path: socketPath }, { path: abstract }].map(
        (where) =>
          new Promise<Server>((resolve) => {
            const server = createServer((socket) => {
              hits.push(JSON.stringify(where));
              socket.destroy();
            }).listen(where, () => resolve(server));
          }),
      ),
    );
    const address = servers[0]?.address();
    return {
      port: typeof address === "object" ? (address?.port ?? 0) : 0,
      socketPath,
      abstract,
      async [Symbol.asyncDispose]() {
        for (const server of servers) server.close();
      },
    };
  }

  /** Paths outside the sandbox that pages look for. */
  const outside = () => [
    instance.path,
    `${instance.path}/vitrine.db`,
    site.path,
    "/etc/passwd",
    "/root",
    "/home",
    platformRoot,
    "/var",
    "/run",
    "/sys",
    "/usr/bin/env",
    "/mnt/0",
    "/tmp/warm/../../etc",
  ];

  beforeAll(async () => {
    site = await makeContent();
    await using listeners = await listen();
    await writeFile(join(instance.path, "vitrine.db"), "MARKER-DATABASE");
    await write("database/projects.json", '{"projects":[{"brief":"a secret brief"}]}', site);
    await write("database/changelog.json", "[]", site);
    const codes = {
      environment: attempts.environment(outside()),
      records: attempts.records(),
      network: attempts.network(listeners),
      daemon: attempts.daemon(word),
      tampering: attempts.tampering(),
    };
    for (const [name, code] of Object.entries(codes)) {
      await write(`app/src/pages/${name}.astro`, hostilePage(code), site);
    }
    process.env["VITRINE_PROBE_SECRET"] = "MARKER-ENVIRONMENT";
    try {
      artifact = await build({}, builder, site);
    } finally {
      delete process.env["VITRINE_PROBE_SECRET"];
    }
    survivors = processesWith(word);
  });
  afterAll(() => site.remove());

  test("abuse 71: find no environment, no database, no keys, nothing of the machine", async () => {
    const found = await foundBy(artifact, "environment");
    expect(found["seen"]).toEqual([]);
    expect(found["uid"]).not.toBe(0);
    expect(
      (found["root"] as string[]).toSorted().filter((name) => !/^(?:code$|lib)/.test(name)),
    ).toEqual([
      "dev",
      "node",
      "node_modules",
      "out",
      "platform",
      "prlimit",
      "proc",
      "site",
      "tmp",
      "usr",
    ]);
    const allowed = [
      "ASTRO_TELEMETRY_DISABLED",
      "HOME",
      "LANG",
      "NODE_COMPILE_CACHE",
      "NODE_ENV",
      "NO_COLOR",
      "PATH",
    ];
    allowed.push(
      "PWD",
      "TMPDIR",
      "UV_THREADPOOL_SIZE",
      "VITEST",
      "TEST",
      "DEV",
      "PROD",
      "SSR",
      "MODE",
    );
    for (const name of found["env"] as string[]) expect(allowed).toContain(name);
    expect(JSON.stringify(found)).not.toMatch(/MARKER/);
  });

  test("abuse 71: find no exported records, which hold drafts and what is told to the agent", async () => {
    const found = await foundBy(artifact, "records");
    expect(found["files"]).toEqual(["changelog.json"]);
    expect(found["globbed"]).toEqual(["../../../database/changelog.json"]);
  });

  test("abuse 72: reach no port, no name and no socket", async () => {
    const found = await foundBy(artifact, "network");
    for (const way of ["loopback", "outside", "unix", "abstract", "name", "resolver", "fetch"]) {
      expect([way, found[way]]).toEqual([way, expect.stringMatching(/^refused: /)]);
    }
    expect(found["interfaces"]).toEqual([]);
    expect(hits).toEqual([]);
  });

  test("abuse 75: leave no daemon when the build is over", async () => {
    expect((await foundBy(artifact, "daemon"))["started"]).toBe(true);
    expect(survivors).toEqual([]);
  });

  test("abuse 77: change neither packages nor program nor sources, and no cache outlives a build", async () => {
    const first = await foundBy(artifact, "tampering");
    expect(first).toMatchObject({ before: false, written: [] });
    expect(String(first["remount"])).toMatch(/^refused/);
    await write("app/src/pages/tampering.astro", hostilePage(attempts.tampering()));
    const second = await foundBy(await build(), "tampering");
    expect(second).toMatchObject({ before: false, written: [] });
  });
});

describe("hostile page code", () => {
  test("abuse 73: a link that it leaves in the output refuses the artifact", async () => {
    await write(
      "app/src/pages/hostile.astro",
      hostilePage(`fs.symlinkSync("/etc/passwd", "/out/leak.txt");`),
    );
    await expect(build()).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringContaining("leak.txt"),
    });
  });

  test("abuse 73: a link in the sources is refused before anything is built", async () => {
    await symlink("/etc/passwd", join(content.path, "app/public/passwd.txt"));
    await expect(build()).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringContaining("app/public/passwd.txt"),
    });
  });

  test("abuse 75: nothing is left when the process that builds is killed in the middle", async () => {
    await using folder = await tempFolder();
    await write(
      "app/src/pages/hostile.astro",
      hostilePage(`
child_process.spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" }).unref();
console.log("in the page"); while (true) {}`),
    );
    const file = join(folder.path, "supervisor.ts");
    await writeFile(file, supervisorScript);
    const supervisor = spawn(nodeBinary, [file, folder.path, "require", content.path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const chunk of supervisor.stdout) if (`${chunk}`.includes("in the page")) break;
    const tree = processTree(supervisor.pid ?? 0).map(String);
    expect(tree.length).toBeGreaterThan(4);
    supervisor.kill("SIGKILL");
    // A process that ended but that nobody asked for yet has no command line any more.
    await eventually(() =>
      expect(tree.map(commandOf).filter((command) => command !== "")).toEqual([]),
    );
  });
});

describe("abuse 74: what wants too much is stopped, and this process stays responsive", () => {
  let folder: TempFolder;
  /** Little of everything but time. */
  let small: SiteBuilder;
  /** Little time. */
  let brief: SiteBuilder;

  beforeAll(async () => {
    folder = await tempFolder();
    small = await makeBuilder(folder, { memoryMiB: 600, outputMiB: 48 });
    brief = await makeBuilder(folder, { seconds: 5, processes: 48 });
  });
  afterAll(async () => {
    await small.close();
    await brief.close();
    await folder.remove();
  });

  /** Builds the page and says why it failed and how long this process was held up at most, in ms. */
  async function outcome(
    by: SiteBuilder,
    code: string,
  ): Promise<{ failure: BuildFailed; longest: number }> {
    await write("app/src/pages/hostile.astro", hostilePage(code));
    const { result, longest: max } = await maxEventLoopDelay(() => failureOf(build({}, by)));
    return { failure: result, longest: max };
  }

  test.each([
    [
      "memory",
      `const kept = []; while (true) { kept.push(Buffer.alloc(16 * 2 ** 20, 1)); await new Promise((done) => setTimeout(done, 5)); }`,
      /used more memory than 600 MiB/,
    ],
    [
      "a heap",
      `const kept = []; while (true) { kept.push(new Array(1e6).fill(kept.length + 0.5)); await new Promise((done) => setTimeout(done, 1)); }`,
      /used more memory than 600 MiB/,
    ],
    [
      "many small files",
      `for (let i = 0; ; i += 1) { fs.writeFileSync("/out/f" + i, Buffer.alloc(2 ** 20, 1)); if (i % 20 === 0) await new Promise((done) => setTimeout(done, 5)); }`,
      /wrote more than 48 MiB/,
    ],
    [
      "abuse 150: files that are deleted and kept open",
      `const kept = []; while (true) { const fd = fs.openSync("/out/hidden", "w"); fs.unlinkSync("/out/hidden"); fs.writeSync(fd, Buffer.alloc(8 * 2 ** 20, 1)); kept.push(fd); await new Promise((done) => setTimeout(done, 20)); }`,
      /wrote more than 48 MiB|used more memory/,
    ],
    [
      "one large file",
      `const fd = fs.openSync("/out/large", "w"); while (true) fs.writeSync(fd, Buffer.alloc(2 ** 20, 1));`,
      /EFBIG|file too large|wrote more than|without a result/i,
    ],
    [
      "scratch space",
      // One block: with one for each file, the memory limit can come first.
      `const block = Buffer.alloc(2 ** 20, 1); for (let i = 0; ; i += 1) fs.writeFileSync("/tmp/f" + i, block);`,
      /ENOSPC|no space/i,
    ],
  ])("%s", async (_what, code, expected) => {
    const { failure, longest: max } = await outcome(small, code);
    expect(failure.errors[0]).toMatch(expected);
    expect(max).toBeLessThan(1000);
  });

  test("an endless loop", async () => {
    const { failure, longest: max } = await outcome(brief, `while (true) {}`);
    expect(failure.errors[0]).toMatch(/took more than \d+ s/);
    expect(max).toBeLessThan(1000);
  });

  test("a fork bomb", async () => {
    const word = `bomb-${process.pid}-${Date.now()}`;
    const { failure, longest: max } = await outcome(
      brief,
      `
const bomb = "/* ${word} */ const run = () => { try { const c = require('child_process').spawn(process.execPath, ['-e', process.argv[1], process.argv[1]], { detached: true, stdio: 'ignore' }); c.on('error', () => {}); } catch {} }; setInterval(run, 1)";
child_process.spawn(process.execPath, ["-e", bomb, bomb], { detached: true, stdio: "ignore" });
await new Promise(() => setInterval(() => {}, 1000));
`,
    );
    expect(failure.errors[0]).toMatch(/took more than|memory|without a result|too many processes/);
    expect(max).toBeLessThan(1000);
    expect(processesWith(word)).toEqual([]);
  });
});

test.skipIf(!isRoot)("abuse 106: a full disk is not the site's fault", async () => {
  await using folder = await tempFolder();
  await run("mount", ["-t", "tmpfs", "-o", "size=100m", "tmpfs", folder.path]);
  const full = await makeBuilder(folder);
  try {
    await full.waitUntilWarm();
    // Room for a copy of the sources, not for the output.
    await write("app/public/large.txt", "x".repeat(12 * 2 ** 20));
    const { bavail, bsize } = await statfs(folder.path);
    const filler = Buffer.alloc(bavail * bsize - 18 * 2 ** 20);
    await writeFile(join(folder.path, "filler"), filler);
    await expect(build({}, full)).rejects.toMatchObject({ code: "disk_full" });
  } finally {
    await full.close();
    await run("umount", ["-l", folder.path]);
  }
});

describe("abuse 76: without bubblewrap", () => {
  async function inMachineWithout(
    hidden: readonly string[],
    sandbox: string,
    ...more: "code"[]
  ): Promise<Record<string, unknown>> {
    const { data, source } = placesWithin;
    const machine = { hidden, folder, source: content.path, script: supervisorScript };
    const output = await runInMachineWithout({
      ...machine,
      args: [data, sandbox, source, ...more],
    });
    return JSON.parse(output) as Record<string, unknown>;
  }
  const bubblewrap = "/usr/bin/bwrap";
  let folder: TempFolder;

  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(() => folder.remove());

  test("abuse 240: Landlock contains a build as well, and whatever a page tries, also for another site's files", async () => {
    await writeFile(join(folder.path, "vitrine.db"), "MARKER-DATABASE");
    await chmod(join(folder.path, "vitrine.db"), 0o666);
    const other = join(folder.path, "sites/bob/content/app/src/pages");
    await mkdir(other, { recursive: true });
    await writeFile(join(other, "index.astro"), "MARKER-BOB");
    await write(
      "app/src/pages/hostile.astro",
      hostilePage(`
found.database = await attempt(() => fs.readFileSync("/mnt/data/vitrine.db", "utf8"));
found.written = await attempt(() => fs.appendFileSync("/mnt/data/vitrine.db", "x"));
found.otherSite = await attempt(() => fs.readFileSync("/mnt/data/sites/bob/content/app/src/pages/index.astro", "utf8"));
found.otherSites = await attempt(() => fs.readdirSync("/mnt/data/sites"));
found.otherLink = await attempt(() => { fs.symlinkSync("/mnt/data/sites/bob", "bob"); return fs.readdirSync("bob/content"); });
found.otherWritten = await attempt(() => fs.writeFileSync("/mnt/data/sites/bob/content/x", "x"));
found.passwords = await attempt(() => fs.readFileSync("/etc/passwd", "utf8"));
found.source = await attempt(() => fs.writeFileSync(new URL("../../src/pages/index.astro", "file://" + process.argv.find((a) => a.startsWith("--site=")).slice(7) + "/app/src/pages/x"), "x"));
found.listed = await attempt(() => fs.readdirSync("/mnt/data"));
found.parent = await attempt(() => fs.readFileSync("/proc/" + process.ppid + "/environ", "utf8"));
found.socket = await attempt(() => new Promise((done, failed) => { const s = net.connect({ port: 53, host: "127.0.0.1" }, () => done("connected")); s.on("error", failed); }));
found.shell = await attempt(() => child_process.execFileSync("/usr/bin/env").toString());
found.code = await attempt(() => fs.appendFileSync(getCompileCacheDir() + "/" + fs.readdirSync(getCompileCacheDir())[0], "x"));
found.codeFiles = fs.readdirSync(getCompileCacheDir()).length;
found.env = Object.keys(process.env);`),
    );
    const result = await inMachineWithout([bubblewrap], "auto", "code");
    expect(result).toMatchObject({ tier: "landlock", reason: null, pages: 3 });
    const dir = join(folder.path, "artifacts", String(result["sha"]));
    const { env, codeFiles, ...found } = await foundBy({ dir } as Artifact);
    expect(codeFiles).toBeGreaterThan(100);
    for (const [way, outcome] of Object.entries(found)) {
      expect([way, outcome]).toEqual([way, expect.stringMatching(/^refused: /)]);
    }
    expect(env).not.toContain("VITRINE_PROBE_SECRET");
    expect(await readFile(join(folder.path, "vitrine.db"), "utf8")).toBe("MARKER-DATABASE");
  });

  test("without both, the declared fallback builds and says why it is one", async () => {
    expect(await inMachineWithout([bubblewrap, "/usr/bin/perl"], "auto")).toMatchObject({
      tier: "permission",
      reason: expect.stringMatching(/bubblewrap doesn't work here.*Landlock doesn't work, either/),
      pages: 2,
    });
  });

  test("a sandbox that is required is not replaced", async () => {
    expect(await inMachineWithout([bubblewrap, "/usr/bin/perl"], "require")).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("bubblewrap"),
    });
  });

  test("a sandbox that is switched off says so", async () => {
    expect(await inMachineWithout([bubblewrap], "off")).toMatchObject({
      tier: "none",
      reason: expect.stringContaining("SANDBOX=off"),
      pages: 2,
    });
  });
});
