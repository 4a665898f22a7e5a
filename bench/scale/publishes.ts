/**
 * How soon what is published on one node is live on another: two nodes with folders of their own, on one
 * PostgreSQL that writes durably and one S3 server. The owner publishes at the first node; a page of the
 * second one is asked for until it has the new text. The same for a saved project, whose build is part of
 * it, and for a further site that sleeps on the second node. Beside it, in the same rounds, the least that
 * a node could do: hear of it through PostgreSQL, and fetch the same objects.
 *
 *   node bench/scale/publishes.ts [--publishes=20] [--saves=6] [--site-publishes=12]
 */
import { parseArgs } from "node:util";
import type { TestInstance } from "../../test/support/instance.ts";
import { startNodes } from "../../test/support/nodes.ts";
import { type Figure, median, printFigures, quantile, ratios } from "../support/figures.ts";
import { watchProcesses } from "../support/process-watch.ts";
import { openBareFollower } from "./bare-follower.ts";
import { settle } from "./settle.ts";
import {
  firstProject,
  makePreview,
  type Owner,
  pageOf,
  saveSummary,
  signIn,
  type SiteAddress,
  waitForText,
} from "./site-client.ts";

const { values } = parseArgs({
  options: {
    publishes: { type: "string", default: "20" },
    saves: { type: "string", default: "6" },
    "site-publishes": { type: "string", default: "12" },
  },
});
const maxLiveMs = 500;
/** How long an owner looks at a preview, at most. */
const lookSeconds = 3;
/** A busy machine takes its time. */
const [readyMs, buildSeconds] = [10 * 60_000, 170];

/** When a change was live, in ms after its request. */
interface Times {
  /** The response to the request. */
  acknowledged: number;
  /** On the node that published it. */
  here: number;
  /** On the other one. */
  there: number;
}

const processes = watchProcesses();

const word = (round: number) => (round === 0 ? "dull" : `calm${String(round).padStart(3, "0")}`);

interface Site {
  owner: Owner;
  here: SiteAddress;
  there: SiteAddress;
}

/** Makes a change with `send` and waits until both nodes show `wanted` at `path`. */
async function time(
  { here, there }: Site,
  path: string,
  wanted: string,
  send: () => Promise<unknown>,
): Promise<Times> {
  const live = [here, there].map((address) => waitForText(address, path, wanted));
  const began = performance.now();
  await send();
  const acknowledged = performance.now();
  const [first = Number.NaN, second = Number.NaN] = await Promise.all(live);
  return { acknowledged: acknowledged - began, here: first - began, there: second - began };
}

/** Publishes another word of the home page. */
async function publish(site: Site, round: number): Promise<Times> {
  const [from, to] = [word(round), word(round + 1)];
  const runId = await makePreview(site.owner, `replace "${from}" with "${to}" on /`);
  await settle(processes, lookSeconds);
  const send = () => site.owner.post("/devconsole/publish", { runId });
  return time(site, "/", to, send);
}

/** Saves another summary of a project, which builds the site and publishes that. */
async function save(site: Site, round: number): Promise<Times> {
  const wanted = `Saved as number ${round + 100}.`;
  await settle(processes, lookSeconds);
  const project = await firstProject(site.owner);
  return time(site, pageOf(project), wanted, () => saveSummary(site.owner, project, wanted));
}

async function repeat(count: string, what: string, work: (round: number) => Promise<Times>) {
  const all: Times[] = [];
  for (let round = 0; round < Number(count); round += 1) {
    const times = await work(round);
    all.push(times);
    const rounded = Object.entries(times).map(([name, ms]) => `${name} ${Math.round(ms)}`);
    console.error(`${what} ${round + 1}: ${rounded.join(", ")}`);
  }
  return all;
}

/** What the other node needs after the acknowledgement, which it may also be faster than. */
/** How much later the other node has the text; the response waits for it. */
const afterOwn = (all: readonly Times[]) => all.map(({ here, there }) => Math.max(0, there - here));

/** Figures of publishes of one site; `where` says how it is on the other node. */
function publishFigures(id: string, where: string, all: readonly Times[]): Figure[] {
  const after = afterOwn(all);
  const what = `publish → live on another node${where}`;
  const there = all.map((times) => times.there);
  const here = all.map((times) => times.here);
  return [
    { id, what: `${what}, after its own`, unit: "ms", values: after, max: maxLiveMs },
    {
      id: `${id}-p95`,
      what: `${what}, after its own, 95th percentile`,
      unit: "ms",
      values: [quantile(after, 0.95)],
      max: maxLiveMs,
    },
    { id: `${id}-request`, what: `${what}, from the request`, unit: "ms", values: there },
    { id: `${id}-here`, what: `publish → live on its own node${where}`, unit: "ms", values: here },
    {
      id: `${id}-response`,
      what: `publish → response, once all nodes serve it${where}`,
      unit: "ms",
      values: all.map(({ acknowledged }) => acknowledged),
    },
    { id: `${id}-ratio`, what: `${what} ÷ on its own`, unit: "×", values: ratios(there, here) },
  ];
}

function addressOf(one: TestInstance, two: TestInstance, host?: string) {
  const [here, there] = [one, two].map(({ baseUrl }) => {
    const { port, host: own } = new URL(baseUrl);
    return { port: Number(port), host: host ?? own };
  });
  return { here: here as SiteAddress, there: there as SiteAddress };
}

const config = { qa: { intervalMinutes: 0 } };
await using nodes = await startNodes({ durable: true });
const one = await nodes.add({ config, buildSeconds, readyMs });
const two = await nodes.add({ config, buildSeconds, readyMs });
const own = addressOf(one, two);
const site = { ...own, owner: await signIn(own.here, await one.link()) };
await using bare = await openBareFollower(nodes);

const bareTimes: number[] = [];
const objects: number[] = [];
await bare.takeNew();
const published = await repeat(values.publishes, "publish", async (round) => {
  const times = await publish(site, round);
  const added = await bare.takeNew();
  objects.push(added.length);
  bareTimes.push(await bare.follow(added));
  return times;
});
const saved = await repeat(values.saves, "save", (round) => save(site, round));
const sleeping: Times[] = [];
if (Number(values["site-publishes"]) > 0) {
  const made = await one.vitrine(["site", "create", "anna", "--owner", "Anna Berg"]);
  const link = String(made["link"]);
  const anna = addressOf(one, two, new URL(link).host);
  // Until the other node knows the site, it shows the own one there.
  await waitForText(anna.there, "/", `http://${anna.there.host}`);
  const further = { ...anna, owner: await signIn(anna.here, link) };
  sleeping.push(
    ...(await repeat(values["site-publishes"], "further site", (round) => publish(further, round))),
  );
}

const figures: Figure[] = [
  ...publishFigures("live", "", published),
  {
    id: "bare",
    what: "the same objects, fetched by a bare program",
    unit: "ms",
    values: bareTimes,
  },
  {
    id: "bare-ratio",
    what: "publish → live on another node, after its own ÷ the bare program",
    unit: "×",
    values: ratios(afterOwn(published), bareTimes),
  },
  {
    id: "objects",
    what: "objects that a preview and its publish store",
    unit: "",
    values: objects,
  },
  {
    id: "save",
    what: "saved project → live on its own node, with the build",
    unit: "ms",
    values: saved.map(({ here }) => here),
  },
  {
    id: "save-later",
    what: "how much later it is live on another node",
    unit: "ms",
    values: saved.map(({ here, there }) => there - here),
    max: maxLiveMs,
  },
  ...publishFigures("sleeping", ", where the further site sleeps", sleeping),
].filter((figure) => figure.values.some(Number.isFinite)) as Figure[];
console.table(
  figures.map(({ what, unit, values: list }) => ({
    what,
    median: median(list),
    max: Math.max(...list),
    unit,
  })),
);
processes.stop();
printFigures(figures);
