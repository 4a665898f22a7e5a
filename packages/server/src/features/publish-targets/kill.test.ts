import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { startCloudflareServer } from "../../../../../test/support/publish-targets/cloudflare-server.ts";
import { startNetlifyServer } from "../../../../../test/support/publish-targets/netlify-server.ts";
import { startS3Server } from "../../../../../test/support/publish-targets/s3-server.ts";
import { startSshServer } from "../../../../../test/support/publish-targets/ssh-server.ts";
import {
  installTargetSite,
  openTargetSite,
  sampleFiles,
  type TargetSite,
} from "../../../../../test/support/publish-targets/target-site.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import type { TargetSettings } from "./schema.ts";

const program = join(import.meta.dirname, "../../../../../test/support/publish-targets/sender.ts");

let folder: TempFolder;
let site: TargetSite;
/** Compiled code of the sender, so that it starts sooner. */
let compiled: TempFolder;

beforeAll(async () => {
  compiled = await tempFolder();
});
afterAll(() => compiled.remove());

beforeEach(async () => {
  folder = await tempFolder();
  await installTargetSite(folder.path);
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  await folder.remove();
});

/** A release with many files, some of which differ from release to release. */
function manyFiles(release: number): Record<string, string> {
  const files = Array.from({ length: 150 }, (_, index): [string, string] => [
    `files/${index % 10}/${index}${index % 3 === 0 ? `-${release}` : ""}.txt`,
    index % 2 === 0 ? `${index} of ${release}` : "the same",
  ]);
  return { ...sampleFiles(`release ${release}`), ...Object.fromEntries(files) };
}

/** Programs that work for this site: children of a killed sender must not go on. */
async function listPrograms(): Promise<string[]> {
  const commands: string[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (command.includes(join(folder.path, "data"))) commands.push(command.replaceAll("\0", " "));
  }
  return commands;
}

interface SenderRun {
  urls: [string, string];
  /** Called when it begins; kills it at some time. */
  onBegin(kill: () => void): void;
}

/** Lets a sender run until it is killed, or until everything is sent. */
async function runSender({ urls, onBegin }: SenderRun): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [program, folder.path, ...urls], {
    env: { ...process.env, NODE_COMPILE_CACHE: compiled.path },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  for await (const _ of createInterface({ input: child.stdout })) {
    onBegin(() => child.kill("SIGKILL"));
  }
  const [, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  return signal;
}

/**
 * Publishes releases, kills the sender at each of these points, and then lets it end: the target has
 * to have the last release. Returns its files and those of the release. With an HTTP server, a point is a number of requests; otherwise, ms.
 */
async function sendWithKills(options: {
  settings: TargetSettings;
  secret?: string;
  server?: { onRequest?: (() => void) | undefined };
  points: number[];
  urls?: { netlifyUrl?: string; cloudflareUrl?: string };
  authorize?(publicKey: string): Promise<void>;
  files(): Promise<Map<string, string>> | Map<string, string>;
}): Promise<{ there: [string, string][]; expected: [string, string][] }> {
  const { settings, secret, server, points, authorize, files } = options;
  const { netlifyUrl = "http://x.invalid", cloudflareUrl = "http://x.invalid" } =
    options.urls ?? {};
  site = await openTargetSite(folder.path, { netlifyUrl, cloudflareUrl });
  const common = { name: "Copy", siteUrl: null, forms: "off" as const };
  const { publicKey } = await site.targets.create({
    ...common,
    settings,
    ...(secret !== undefined && { secret }),
  });
  await authorize?.(publicKey ?? "");
  let kills = 0;
  for (const [index, point] of points.entries()) {
    // Every other sender continues what a killed one has begun.
    if (index % 2 === 0) await site.publish(manyFiles(index));
    let left = point;
    const signal = await runSender({
      urls: [netlifyUrl, cloudflareUrl],
      onBegin(kill) {
        if (!server) void delay(point).then(kill);
        else {
          server.onRequest = () => {
            left -= 1;
            if (left === 0) kill();
          };
        }
      },
    });
    if (server) server.onRequest = undefined;
    if (signal === "SIGKILL") kills += 1;
    await eventually(async () => expect(await listPrograms()).toEqual([]));
  }
  expect(kills).toBeGreaterThan(server ? 1 : 0);
  await site.deliveries.sendDue();
  expect((await site.targets.list()).items).toMatchObject([
    { error: null, status: "up_to_date", sent: { release: Math.ceil(points.length / 2) } },
  ]);
  const sorted = (texts: Map<string, string>) => [...texts].toSorted();
  return { there: sorted(await files()), expected: sorted(await site.copy()) };
}

test("a bucket has the whole release after senders were killed", async () => {
  await using server = await startS3Server();
  const { there, expected } = await sendWithKills({
    settings: {
      kind: "s3",
      endpoint: server.endpoint,
      region: "us-east-1",
      bucket: server.bucket,
      prefix: "",
      isPathStyle: true,
      accessKeyId: server.accessKeyId,
    },
    secret: server.secretAccessKey,
    server,
    points: [1, 90, 30],
    files: async () =>
      new Map([...(await server.objects())].map(([path, { text }]) => [path, text])),
  });
  expect(there).toEqual(expected);
}, 240_000);

test("Netlify has the whole release after senders were killed", async () => {
  await using server = await startNetlifyServer();
  const { there, expected } = await sendWithKills({
    settings: { kind: "netlify", siteId: server.siteId },
    secret: server.token,
    server,
    points: [2, 40, 30],
    urls: { netlifyUrl: server.url },
    files() {
      const live = server.live();
      live.delete("_headers");
      return live;
    },
  });
  expect(there).toEqual(expected);
  // What was begun was continued: the senders of a release share its deploy.
  expect(server.deploys.length).toBeLessThanOrEqual(3);
}, 240_000);

test("Cloudflare has the whole release after senders were killed", async () => {
  await using server = await startCloudflareServer();
  const { accountId, project } = server;
  const { there, expected } = await sendWithKills({
    settings: { kind: "cloudflare", accountId, project, branch: "main" },
    secret: server.token,
    server,
    points: [3, 4, 5],
    urls: { cloudflareUrl: server.url },
    files: () => server.live(),
  });
  expect(there).toEqual(expected);
}, 240_000);

test("a git branch has the whole release after senders were killed", async () => {
  await using server = await startSshServer();
  const url = await server.makeRepository("pages.git");
  const { there, expected } = await sendWithKills({
    settings: {
      kind: "git",
      url,
      branch: "pages",
      layout: "root",
      domain: null,
      user: "",
      hostKey: server.hostKey,
    },
    points: [150, 500, 1200],
    authorize: server.authorize,
    async files() {
      const names = await server.git("pages.git", "ls-tree", "-r", "-z", "--name-only", "pages");
      const texts = new Map<string, string>();
      for (const name of names.split("\0").filter((text) => text !== "")) {
        texts.set(name, await server.git("pages.git", "show", `pages:${name}`));
      }
      texts.delete(".nojekyll");
      return texts;
    },
  });
  expect(there).toEqual(expected);
}, 240_000);

test.each([false, true])(
  "a folder by rsync has the whole release after senders were killed (by a link: %s)",
  async (isAtomic) => {
    await using server = await startSshServer();
    const { host, port, user, hostKey } = server;
    const settings = { host, port, user, hostKey, folder: server.folder, keptReleases: 2 };
    const { there, expected } = await sendWithKills({
      settings: { kind: "rsync", ...settings, isAtomic },
      points: [150, 600, 1500],
      authorize: server.authorize,
      async files() {
        const root = isAtomic ? `${server.folder}/current/` : server.folder;
        const texts = new Map<string, string>();
        for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
          if (!entry.isFile()) continue;
          const path = join(entry.parentPath, entry.name);
          texts.set(relative(root, path), await readFile(path, "utf8"));
        }
        return texts;
      },
    });
    expect(there).toEqual(expected);
  },
  240_000,
);
