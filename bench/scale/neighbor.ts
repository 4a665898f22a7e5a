/**
 * What one busy site costs the others: an installation with 100 further sites on this machine. One of them
 * works without pause (noise.ts). Measured with and without it, in turn: how long a page of the other sites
 * takes, beside nginx with the same files on the same machine at the same time, and how long the owner of
 * another site waits until a saved summary is live.
 *
 *   node bench/scale/neighbor.ts [--sites=100] [--rounds=4] [--seconds=15] [--rate=50] [--noise-rate=500]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startInstance, type TestInstance } from "../../test/support/instance.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { startNginx } from "../http/nginx.ts";
import { makeImages } from "../media/sample-images.ts";
import { type Figure, median, printFigures, quantile, ratios } from "../support/figures.ts";
import { watchProcesses } from "../support/process-watch.ts";
import type { NoiseOutcome, NoiseTask } from "./noise.ts";
import { settle } from "./settle.ts";
import {
  firstProject,
  type Owner,
  pageOf,
  saveSummary,
  signIn,
  type SiteAddress,
  waitForText,
} from "./site-client.ts";
import { domainOf, pages, publishSites, registerSites } from "./synthetic-sites.ts";

const { values } = parseArgs({
  options: {
    sites: { type: "string", default: "100" },
    rounds: { type: "string", default: "4" },
    seconds: { type: "string", default: "15" },
    rate: { type: "string", default: "50" },
    "noise-rate": { type: "string", default: "500" },
  },
});
const rate = Number(values.rate);
const windowMs = Number(values.seconds) * 1000;
const [maxAttempts, buildSeconds] = [4, 170];
/** How long the noise lasts before anything is measured, in ms. */
const leadMs = 5000;
/** The busy one, and the one whose owner works beside it. */
const realSites = 2;
const syntheticSites = Number(values.sites) - realSites;

type Server = "own" | "nginx";

/** What was measured in one window, in ms. */
interface Measured {
  pages: Record<Server, number[]>;
  saves: number[];
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** The time until a whole page is there, in ms; another time if the connection was closed before. */
function timePage(port: number, host: string, path: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const began = performance.now();
  const headers = { host };
  const call = get({ host: "127.0.0.1", port, path, agent, headers }, (response) => {
    if (response.statusCode !== 200) reject(new Error(`${host}${path}: ${response.statusCode}`));
    response.resume().once("end", () => resolve(performance.now() - began));
  });
  call.once("error", (error) => {
    if (call.reusedSocket) resolve(timePage(port, host, path));
    else reject(error);
  });
  return promise;
}

const random = (below: number) => Math.floor(Math.random() * below);

/** Asks pages of random sites and of nginx in turn, at a fixed rate, however long they take. */
async function visit(ports: Record<Server, number>, isOver: () => boolean) {
  const times: Record<Server, number[]> = { own: [], nginx: [] };
  const waiting: Promise<unknown>[] = [];
  const began = performance.now();
  for (let count = 0; !isOver(); count += 1) {
    await delay(Math.max(0, began + (count * 1000) / rate - performance.now()));
    const [host, path] = [domainOf(random(syntheticSites)), `/p${random(pages)}/`];
    const names = ["own", "nginx"] as const;
    for (const name of count % 2 === 0 ? names : names.toReversed()) {
      const asked = timePage(ports[name], host, path).then((ms) => times[name].push(ms));
      asked.catch(() => {});
      waiting.push(asked);
    }
  }
  await Promise.all(waiting);
  return times;
}

let saved = 0;

/** Saves a summary and waits until it is live, again and again; returns the times in ms. */
async function save(owner: Owner, address: SiteAddress, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isOver() || times.length === 0) {
    saved += 1;
    const wanted = `Saved as number ${saved}.`;
    const project = await firstProject(owner);
    const began = performance.now();
    await saveSummary(owner, project, wanted);
    times.push((await waitForText(address, pageOf(project), wanted, 20)) - began);
  }
  return times;
}

/** Creates a site, again if its first build was stopped because the machine does too much else. */
async function create({ vitrine }: TestInstance, id: string) {
  const command = ["site", "create", id, "--owner", `Owner of ${id}`];
  for (let left = maxAttempts - 1; ; left -= 1) {
    try {
      return await vitrine(command);
    } catch (error) {
      if (left === 0 || !String(error).includes("The build took more than")) throw error;
    }
  }
}

async function createSite(installation: TestInstance, id: string) {
  const { dir, baseUrl } = installation;
  const made = await create(installation, id);
  const file = join(dir, "sites", id, "vitrine.json");
  const settings = JSON.parse(await readFile(file, "utf8")) as object;
  const limits = { build: { seconds: buildSeconds } };
  await writeFile(file, JSON.stringify({ ...settings, limits, qa: { intervalMinutes: 0 } }));
  const link = String(made["link"]);
  const address = { port: Number(new URL(baseUrl).port), host: new URL(link).host };
  return { address, owner: await signIn(address, link) };
}

function startNoise(task: NoiseTask) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "noise.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.write(`${JSON.stringify(task)}\n`);
  const [output, ended] = [text(child.stdout), once(child, "close")];
  return {
    async stop(): Promise<NoiseOutcome> {
      child.stdin.end();
      await ended;
      return JSON.parse(await output) as NoiseOutcome;
    },
  };
}

await using folder = await tempFolder();
await using instance = await startInstance({
  config: { qa: { intervalMinutes: 0 } },
  buildSeconds,
  readyMs: 10 * 60_000,
});
await registerSites(instance, syntheticSites);
const files = await publishSites(instance, syntheticSites);
await writeFile(join(files, "index.html"), "nginx");
await using nginx = await startNginx(join(folder.path, "nginx"), files);
const [photo = ""] = await makeImages(folder.path, 1);
const busy = await createSite(instance, "busy");
const other = await createSite(instance, "other");
const ports = {
  own: Number(new URL(instance.baseUrl).port),
  nginx: Number(new URL(nginx.origin).port),
};
const processes = watchProcesses();

async function measure(): Promise<Measured> {
  const end = performance.now() + windowMs;
  let isSaved = false;
  const saving = save(other.owner, other.address, () => performance.now() > end).finally(() => {
    isSaved = true;
  });
  const [saves, times] = await Promise.all([saving, visit(ports, () => isSaved)]);
  return { pages: times, saves };
}

const quiet: Measured[] = [];
const noisy: Measured[] = [];
const outcomes: NoiseOutcome[] = [];

async function measureNoisy(round: number): Promise<void> {
  const noise = startNoise({
    address: busy.address,
    cookie: busy.owner.cookie,
    photo,
    mark: `r${round}`,
    uploads: 4,
    rate: Number(values["noise-rate"]),
  });
  await delay(leadMs);
  noisy.push(await measure());
  outcomes.push(await noise.stop());
  await settle(processes, 20);
}

// Fills caches, opens connections, and wakes the site.
await measure();
await settle(processes, 8);
for (let round = 0; round < Number(values.rounds); round += 1) {
  if (round % 2 === 1) await measureNoisy(round);
  quiet.push(await measure());
  if (round % 2 === 0) await measureNoisy(round);
  console.error(`round ${round + 1}:`, {
    quiet: quiet.at(-1)?.saves.map(Math.round),
    noisy: noisy.at(-1)?.saves.map(Math.round),
    noise: outcomes.at(-1),
  });
}
processes.stop();
agent.destroy();

const pagesAt = (all: readonly Measured[], server: Server, part: number) =>
  all.map((one) => quantile(one.pages[server], part));
const savesOf = (all: readonly Measured[]) => all.map(({ saves }) => median(saves));
const perMinute = (name: keyof NoiseOutcome) =>
  outcomes.map((outcome) => (60 * outcome[name]) / outcome.seconds);

function pageFigures(id: string, title: string, part: number): Figure[] {
  const what = `page of another site, ${title}`;
  const [own, ownNoisy] = [pagesAt(quiet, "own", part), pagesAt(noisy, "own", part)];
  const [peer, peerNoisy] = [pagesAt(quiet, "nginx", part), pagesAt(noisy, "nginx", part)];
  return [
    {
      id: `${id}-ratio`,
      what: `${what}: with the busy site ÷ without`,
      unit: "×",
      values: ratios(ownNoisy, own),
    },
    {
      id: `${id}-nginx-ratio`,
      what: `${what}: with the busy site ÷ nginx then`,
      unit: "×",
      values: ratios(ownNoisy, peerNoisy),
    },
    { id: `${id}-quiet`, what: `${what}, without the busy site`, unit: "ms", values: own },
    { id: `${id}-noisy`, what: `${what}, with it`, unit: "ms", values: ownNoisy },
    {
      id: `${id}-nginx-quiet`,
      what: `nginx, ${title}, without the busy site`,
      unit: "ms",
      values: peer,
    },
    { id: `${id}-nginx-noisy`, what: `nginx, ${title}, with it`, unit: "ms", values: peerNoisy },
  ];
}

const figures: Figure[] = [
  ...pageFigures("p50", "median", 0.5),
  ...pageFigures("p99", "99th percentile", 0.99),
  {
    id: "save-ratio",
    what: "saved summary of another site → live: with the busy site ÷ without (after one build that runs: 2)",
    unit: "×",
    values: ratios(savesOf(noisy), savesOf(quiet)),
  },
  {
    id: "save-quiet",
    what: "saved summary of another site → live, without the busy site",
    unit: "ms",
    values: savesOf(quiet),
  },
  {
    id: "save-noisy",
    what: "saved summary of another site → live, with it",
    unit: "ms",
    values: savesOf(noisy),
  },
  {
    id: "save-longest",
    what: "the longest of them",
    unit: "ms",
    values: noisy.map(({ saves }) => Math.max(...saves)),
  },
  {
    id: "visits",
    what: "visits of the busy site",
    unit: "/s",
    values: outcomes.map((outcome) => outcome.visits / outcome.visitSeconds),
  },
  {
    id: "uploads",
    what: "photos of 24 megapixels that it stores",
    unit: "/min",
    values: perMinute("uploads"),
  },
  {
    id: "saves",
    what: "its saved projects that go live",
    unit: "/min",
    values: perMinute("saves"),
  },
  {
    id: "previews",
    what: "its previews",
    unit: "/min",
    values: perMinute("previews"),
  },
  {
    id: "failures",
    what: "its requests that failed",
    unit: "",
    values: outcomes.map(({ failures }) => failures),
  },
];
console.table(
  figures.map(({ what, unit, values: list }) => ({ what, median: median(list), unit })),
);
printFigures(figures);
