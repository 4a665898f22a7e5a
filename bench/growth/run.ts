/**
 * What an owner waits for as a site grows, over HTTP on an installed instance: the preview of an edited
 * word, the publish of it, and a saved record being live; the memory of the largest build, and what a
 * publish adds on the disk. Beside it, plain builds of the same records by Astro, Eleventy, and Hugo. All
 * take turns. Processor seconds say more than times on a busy machine.
 *
 *   node bench/growth/run.ts [--sizes=6,100,1000,10000] [--rounds=5] [--large-rounds=2] [--images-up-to=1000]
 *
 * Sites of 5,000 projects and more take minutes a round, so they have rounds of their own number; with 0
 * only their first build is measured.
 * Sites with more projects than `--images-up-to` have no share images: drawing them takes long, once.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { signIn } from "../../test/support/client.ts";
import { startInstance } from "../../test/support/instance.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { type Figure, median, printFigures, ratios, type Unit } from "../support/figures.ts";
import { watchProcesses } from "../support/process-watch.ts";
import { diskBytes } from "./disk.ts";
import { editAndPublish, grow, type Measured, measured, save, settle } from "./owner.ts";
import { availablePeers, buildPeer, cleanPeer, type Peer, preparePeer } from "./peers.ts";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "6,100,1000,10000" },
    rounds: { type: "string", default: "5" },
    "large-rounds": { type: "string", default: "2" },
    "images-up-to": { type: "string", default: "1000" },
  },
});
const rounds = Number(values.rounds);
const largeSize = 5000;

/** What a publish adds on the disk is that of its changes, which are the same for all sizes. */
const maxPublishKiB = 512;
/** At most, by number of projects: milliseconds, MiB, and KiB. */
const targets: Record<number, Record<string, number>> = {
  6: { preview: 1000, publish: 150, save: 1200 },
  1000: { preview: 2500, publish: 300, save: 3000, disk: maxPublishKiB },
  10_000: { save: 10_000, memory: 1331, disk: maxPublishKiB },
};
const buildSeconds = 3600;
const warmUpRound = -1;
/** A busy machine takes its time. */
const maxStartMs = 10 * 60_000;

const processes = watchProcesses();

interface SizeResult {
  size: number;
  first: Measured;
  preview: Measured[];
  publish: Measured[];
  save: Measured[];
  /** Bytes that a publish added: files, and folders. */
  files: number[];
  folders: number[];
  /** Bytes that its preview had added before. */
  previewBytes: number[];
  peers: Map<Peer, { builds: Measured[]; outputBytes: number }>;
}

const say = (text: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);

async function measurePeer(peer: Peer, dir: string): Promise<Measured> {
  await cleanPeer(dir);
  return measured(processes, peer.program, () => buildPeer(peer, dir));
}

async function measureSize(size: number): Promise<SizeResult> {
  await using folder = await tempFolder();
  const shareImages = size > Number(values["images-up-to"]) ? 0 : size + 100;
  // All images are drawn by one build, which takes longer than a build may; and a scheduled QA run of a
  // large site would go on for minutes, beside everything. With so few releases to keep, the instance is
  // soon like one in use, which makes each release of the oldest.
  const limits = { build: { shareImages, seconds: buildSeconds }, keep: { releases: 2 } };
  const config = { limits, qa: { intervalMinutes: 0 } };
  await using instance = await startInstance({ warm: true, config, readyMs: maxStartMs });
  say(`${size} projects: building`);
  const first = await grow(instance, processes, size);
  const deps = { instance, processes, admin: await signIn(instance) };
  const result: SizeResult = {
    size,
    first,
    preview: [],
    publish: [],
    save: [],
    files: [],
    folders: [],
    previewBytes: [],
    peers: new Map(),
  };
  const dirOf = (peer: Peer) => join(folder.path, peer.name);
  // The release with few projects, which is the oldest, is used up by this one.
  if (size < largeSize) await save(deps, warmUpRound);
  const all = size >= largeSize ? Number(values["large-rounds"]) : rounds;
  const peers = all === 0 ? [] : availablePeers();
  for (const peer of peers) {
    await preparePeer(peer, instance, dirOf(peer));
    result.peers.set(peer, { builds: [], outputBytes: 0 });
  }
  const measureOwn = async (round: number) => {
    const { preview, publish, disk, previewBytes } = await editAndPublish(deps, round);
    result.previewBytes.push(previewBytes);
    result.preview.push(preview);
    result.publish.push(publish);
    result.files.push(disk.files);
    result.folders.push(disk.folders);
    result.save.push(await save(deps, round));
  };
  const measurePeers = async () => {
    await settle(instance, processes);
    for (const peer of peers)
      result.peers.get(peer)?.builds.push(await measurePeer(peer, dirOf(peer)));
  };
  for (let round = 0; round < all; round += 1) {
    say(`${size} projects: round ${round + 1} of ${all}`);
    if (round % 2 === 1) await measurePeers();
    await measureOwn(round);
    if (round % 2 === 0) await measurePeers();
  }
  for (const [peer, found] of result.peers) found.outputBytes = diskBytes(join(dirOf(peer), "out"));
  return result;
}

const names = { preview: "edit → preview", publish: "publish → live", save: "save → live" };
const peerNames = { astro: "Astro", eleventy: "Eleventy", hugo: "Hugo" };

/** All figures of one size; `id` ends in the number of projects and the peer. */
function figuresOf(result: SizeResult): Figure[] {
  const { size } = result;
  const column = `${size.toLocaleString("en")} projects`;
  const figures: Figure[] = [];
  const add = (name: string, what: string, unit: Unit, list: number[], id = `${name}-${size}`) => {
    const max = id === `${name}-${size}` ? targets[size]?.[name] : undefined;
    figures.push({ id, what, column, unit, values: list, max });
  };
  for (const name of ["preview", "publish", "save"] as const) {
    const all = result[name];
    add(
      name,
      names[name],
      "ms",
      all.map(({ ms }) => ms),
    );
    add(
      `${name}-cpu`,
      `${names[name]}: processor time`,
      "s",
      all.map((one) => one.cpuSeconds),
    );
  }
  add("first-cpu", "first build of all: processor time", "s", [result.first.cpuSeconds]);
  const own = [result.first, ...result.preview, ...result.save];
  add("memory", "the largest build process", "MiB", [Math.max(...own.map((one) => one.peakMiB))]);
  const kib = (bytes: number[]) => bytes.map((each) => each / 1024);
  add(
    "disk",
    "added by a publish",
    "KiB",
    kib(result.files.map((each, i) => each + (result.folders[i] ?? 0))),
  );
  add("disk-files", "of that, files", "KiB", kib(result.files));
  add("disk-preview", "added by its preview", "KiB", kib(result.previewBytes));
  for (const [{ name }, { builds, outputBytes }] of result.peers) {
    const title = `${peerNames[name]}, whole build`;
    const id = (kind: string) => `${kind}-${size}-${name}`;
    add(
      "build",
      title,
      "ms",
      builds.map(({ ms }) => ms),
      id("build"),
    );
    const cpu = builds.map(({ cpuSeconds }) => cpuSeconds);
    add("build", `${title}: processor time`, "s", cpu, id("build-cpu"));
    add(
      "memory",
      `${peerNames[name]}, its process`,
      "MiB",
      builds.map((one) => one.peakMiB),
      id("memory"),
    );
    add("disk", `${peerNames[name]}, its output`, "KiB", kib([outputBytes]), id("disk"));
    if (name !== "astro") continue;
    const pair = ratios(
      result.save.map((one) => one.cpuSeconds),
      cpu,
    );
    add("save", "save → live ÷ Astro's whole build, processor time", "×", pair, id("save-ratio"));
  }
  return figures.filter((figure) => figure.values.length > 0);
}

const figures: Figure[] = [];
for (const size of values.sizes.split(",").map(Number)) {
  const found = figuresOf(await measureSize(size));
  console.table(
    found.map(({ what, unit, values: list }) => ({ what, median: median(list), unit })),
  );
  figures.push(...found);
}
processes.stop();
printFigures(figures);
