import https from "node:https";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { buffer } from "node:stream/consumers";
import tls from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { signIn } from "../support/client.ts";
import {
  buildImage,
  compose,
  docker,
  hardened,
  imageSizes,
  keepsImages,
  scoped,
} from "./docker.ts";
import type { HostileResult } from "./hostile-build.ts";

// The image, started as docs/install-with-docker.md says. Ports 80 and 443 have to be free.

const full = "vitrine-image-test:full";
const slim = "vitrine-image-test:slim";
const broken = "vitrine-image-test:broken";
const newer = "vitrine-image-test:newer";
const site = "https://localhost";

/** Figures for the documents. */
function note(what: string, value: string | number): void {
  process.stdout.write(`${what}: ${value}\n`);
}

const up = (image: string, variables: Record<string, string> = {}) =>
  compose(["up", "-d", "--no-build"], { VITRINE_IMAGE: image, ...variables });
const logs = () => compose(["logs", "--no-color", "vitrine"]);
const inside = (...args: string[]) => compose(["exec", "-T", "vitrine", ...args]);
const down = () => compose(["down", "-v", "-t", "30"]);

function get(path: string): Promise<{ status: number; body: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: Buffer }>();
  const request = https.get(`${site}${path}`, { agent: false }, (response) => {
    const status = response.statusCode ?? 0;
    void buffer(response).then((body) => resolve({ status, body }), reject);
  });
  request.on("error", reject);
  return promise;
}

/** Trusts the authority that Caddy has made for localhost. */
async function trustCaddy(): Promise<void> {
  const path = "/data/caddy/pki/authorities/local/root.crt";
  const root = await compose(["exec", "-T", "caddy", "cat", path]);
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), root]);
}

async function firstPage(): Promise<Buffer> {
  for (const deadline = Date.now() + 30_000; ;) {
    try {
      await trustCaddy();
      const { status, body } = await get("/");
      expect(status).toBe(200);
      return body;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(100);
    }
  }
}

async function health(): Promise<{ status: string; checks: Record<string, { note?: string }> }> {
  const { body } = await get("/api/health");
  return (JSON.parse(body.toString()) as { data: Awaited<ReturnType<typeof health>> }).data;
}

async function printedLink(): Promise<string> {
  const links = (await logs()).match(/https:\/\/localhost\/admin\/vl_[\w-]+/g) ?? [];
  expect(links).toHaveLength(1);
  return links[0] ?? "";
}

async function buildHostileSite(options: string[]): Promise<HostileResult> {
  const mount = `${join(platformRoot, "test/image")}:/test:ro`;
  const start = ["run", "--rm", "--env=SECRET=MARKER", `--volume=${mount}`, "--entrypoint=node"];
  const args = [...start, ...hardened, ...options, full, "/test/hostile-build.ts"];
  return JSON.parse(await docker(args)) as HostileResult;
}

beforeAll(async () => {
  await down().catch(() => {});
  if (keepsImages) return;
  const startedAt = performance.now();
  await buildImage(full, { variant: "full" });
  note("seconds to build the image", Math.round((performance.now() - startedAt) / 1000));
  await buildImage(slim, { variant: "slim" });
});
afterAll(() => down());

test("the images are small enough to transfer", async () => {
  for (const [tag, limit] of [
    [full, 600e6],
    [slim, 300e6],
  ] as const) {
    const { disk, transfer } = await imageSizes(tag);
    note(
      `${tag}, MB on disk and transferred`,
      `${Math.round(disk / 1e6)}, ${Math.round(transfer / 1e6)}`,
    );
    expect(transfer).toBeLessThan(limit);
  }
});

describe("docker compose up -d", () => {
  test("serves the site over HTTPS and prints one link", async () => {
    const startedAt = performance.now();
    await up(full);
    const returnedAt = performance.now();
    const page = await firstPage();
    note("seconds until the command returns", Math.round((returnedAt - startedAt) / 100) / 10);
    note("seconds to the first page", Math.round((performance.now() - startedAt) / 100) / 10);
    note("bytes of the first page", page.length);
    expect(page.toString()).toContain("<h1");
    await printedLink();
    expect(await health()).toMatchObject({
      status: "ok",
      checks: { sandbox: { note: "bubblewrap" }, database: { note: "sqlite" } },
    });
  });

  test("runs without rights, and can write only its data and temporary files", async () => {
    const status = await inside("cat", "/proc/self/status");
    expect(status).toMatch(/^Uid:\s+10001\s+10001\s+10001\s+10001$/m);
    expect(status).toMatch(/^CapBnd:\s+0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    for (const folder of ["/", "/opt/vitrine", "/usr", "/etc", "/var"]) {
      await expect(inside("touch", join(folder, "x"))).rejects.toThrow("Read-only file system");
    }
    await inside("touch", "/srv/vitrine/x", "/tmp/x");
    await inside("rm", "/srv/vitrine/x", "/tmp/x");
  });

  test("the main job: an edit is previewed and published, a video converted", async () => {
    const admin = await signIn({ baseUrl: site, link: printedLink });
    const runId = await admin.start('replace "See the work" with "Look at the work"');
    await admin.reach(runId, "preview_ready");
    await admin.post("/devconsole/publish", { runId });
    await admin.reach(runId, "published");
    await expect.poll(async () => (await get("/")).body.toString()).toContain("Look at the work");

    const clip = "-v error -f lavfi -i testsrc2=d=1:s=320x180 -c:v mpeg4 -y /tmp/clip.mp4";
    await inside("ffmpeg", ...clip.split(" "));
    const video = await inside("base64", "-w0", "/tmp/clip.mp4");
    const form = new FormData();
    const type = "video/mp4";
    form.append(
      "file",
      new Blob([new Uint8Array(Buffer.from(video, "base64"))], { type }),
      "clip.mp4",
    );
    const headers = { cookie: admin.cookie };
    const upload = await fetch(`${site}/api/media/upload`, { method: "POST", headers, body: form });
    expect(await upload.json()).toMatchObject({ ok: true, data: { kind: "video" } });
  });

  test("the QA engine opens pages in Chromium", async () => {
    const options = "--max-pages 2 --external none --fail-on never --format json";
    const report = await inside("vitrine", "qa", "http://localhost:3000/", ...options.split(" "));
    const { data } = JSON.parse(report) as {
      data: { stats: { browserPages: number }; skippedChecks: string[] };
    };
    expect(data.stats.browserPages).toBeGreaterThan(0);
    expect(data.skippedChecks).toEqual([]);
  });

  test("stops within ten seconds without losing anything, and has no second link", async () => {
    const startedAt = performance.now();
    await compose(["stop", "vitrine"]);
    note("seconds to stop", Math.round((performance.now() - startedAt) / 100) / 10);
    const state = await compose(["ps", "-a", "vitrine"]);
    expect(state).toMatch(/Exit(?:ed)? \(?0/);
    await compose(["start", "vitrine"]);
    await expect.poll(async () => (await get("/")).status).toBe(200);
    expect((await get("/")).body.toString()).toContain("Look at the work");
    await printedLink();
    await expect.poll(logs).toContain("A new sign-in link: vitrine set-admin-token --pretty");
    const { data } = JSON.parse(await inside("vitrine", "set-admin-token")) as {
      data: { url: string };
    };
    expect(data.url).toMatch(/^https:\/\/localhost\/admin\/vl_/);
  });
});

describe("a newer image", () => {
  const derived = (version: string, migration: string) => ({
    dockerfile: `FROM ${full}
USER root
WORKDIR /opt/vitrine
RUN sed -i 's/"version": "[^"]*"/"version": "${version}"/' package.json && cd packages/server/database/migrations && echo '${migration}' > "$(printf %03d $(($(ls | wc -l) + 1)))-new.sql"
WORKDIR /srv/vitrine
USER 10001:10001
`,
  });

  test("that doesn't work on the instance says why, and the one before still serves", async () => {
    await buildImage(broken, derived("8.0.0", "alter table missing add column x text;"));
    await compose(["up", "-d", "--no-build", "--no-deps", "vitrine"], {
      VITRINE_IMAGE: broken,
    });
    await expect.poll(logs, { timeout: 120_000 }).toMatch(/8\.0\.0 doesn't work on this instance/);
    await compose(["up", "-d", "--no-build", "--no-deps", "vitrine"], { VITRINE_IMAGE: full });
    await expect.poll(async () => (await get("/")).status, { timeout: 120_000 }).toBe(200);
    expect((await get("/")).body.toString()).toContain("Look at the work");
  });

  test("upgrades the instance after a backup and a trial", async () => {
    await buildImage(newer, derived("9.0.0", "create table if not exists made_new (id integer);"));
    const startedAt = performance.now();
    await compose(["up", "-d", "--no-build", "--no-deps", "vitrine"], {
      VITRINE_IMAGE: newer,
    });
    await expect
      .poll(async () => await health().catch(() => null), { timeout: 300_000, interval: 500 })
      .toMatchObject({ status: "ok", version: "9.0.0" });
    note("seconds of the upgrade", Math.round((performance.now() - startedAt) / 1000));
    expect(await inside("ls", "/srv/vitrine/backups")).toContain("before-9.0.0.tar.gz");
    expect((await get("/")).body.toString()).toContain("Look at the work");
  });
});

describe("a hostile build", () => {
  test.each([
    ["bubblewrap", "with the options of compose.yaml", scoped],
    ["landlock", "without any option", []],
  ])("abuse 203: is contained by %s, %s", async (tier, _when, options) => {
    const { attempts, bomb, ...rest } = await buildHostileSite(options);
    note(`hostile build, ${tier}`, JSON.stringify({ attempts, bomb }));
    expect(rest).toEqual({ tier, reason: null, connections: 0, secret: "MARKER" });
    for (const [what, outcome] of Object.entries(attempts)) {
      expect(`${what}: ${outcome}`).toMatch(/: refused: /);
    }
    expect(bomb.error).toMatch(/took more than|memory|without a result/);
    expect(bomb.left).toBe(0);
    expect(bomb.most).toBeLessThan(60);
    expect(bomb.blockedMs).toBeLessThan(5000);
  });
});

describe("PostgreSQL", () => {
  test("keeps the data with the profile, and can be backed up", async () => {
    await down();
    const password = "5f0c8e21aa";
    await up(full, {
      COMPOSE_PROFILES: "postgres",
      POSTGRES_PASSWORD: password,
      DATABASE_URL: `postgres://vitrine:${password}@postgres:5432/vitrine`,
    });
    await firstPage();
    expect(await health()).toMatchObject({ checks: { database: { note: "postgres" } } });
    await printedLink();
    await inside("vitrine", "backup", "/srv/vitrine/backup.tar.gz");
  });
});

test("the slim image has neither Chromium nor ffmpeg, and serves", async () => {
  await down();
  await up(slim);
  await firstPage();
  expect(await health()).toMatchObject({ checks: { sandbox: { note: "bubblewrap" } } });
  await expect(inside("ffmpeg", "-version")).rejects.toThrow("ffmpeg");
});
