/**
 * What Playwright would cost as the client that leads Chromium, beside the QA engine's own: the same
 * pages of the generated site, the same Chromium with the same flags, in turn in the same run, each lap
 * in a process of its own. `own` and `playwright` make the engine's whole visit, `…-drive` only what any
 * tool does with a page (see `lap-browser-client.ts`). Ratios are medians of the ratios of each round.
 *
 *     node bench/qa/browser-client.ts [--rounds 7] [--pages 120] [--only drive|visit] [--json]
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { engineArguments } from "../../packages/qa/src/engine/engine-process.ts";
import type { Client, ClientLap } from "./lap-browser-client.ts";
import { type Figure, printFigures } from "../support/figures.ts";
import { watchChromium } from "./memory.ts";
import { generateSite } from "./site.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    pages: { type: "string", default: "120" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
/** Above this, Playwright costs more than it is worth. */
const maxCost = 1.1;

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
const round2 = (value: number) => Math.round(value * 100) / 100;
const programOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

async function answerOf<T>(child: ChildProcess, what: string): Promise<T> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`${what} ended with ${code}.`);
  });
  ended.catch(() => {});
  const [response] = (await Promise.race([once(child, "message"), ended])) as [T];
  return response;
}

interface Watched extends ClientLap {
  chromiumMiB: number;
}

async function lap(
  client: Client,
  origin: string,
  paths: readonly string[],
  watchesMemory = false,
): Promise<Watched> {
  const child = fork(programOf("lap-browser-client.ts"), [client, origin], {
    execArgv: [...engineArguments],
  });
  const ended = once(child, "exit");
  const memory = watchesMemory ? watchChromium(child.pid ?? 0) : null;
  child.send(paths);
  const measured = await answerOf<ClientLap>(child, `The lap “${client}”`);
  const chromiumMiB = memory?.stop() ?? 0;
  await ended;
  return { ...measured, chromiumMiB };
}

const kinds = { visit: ["own", "playwright"], drive: ["own-drive", "playwright-drive"] } as const;
type Kind = keyof typeof kinds;
const selected = (Object.keys(kinds) as Kind[]).filter((kind) => (values.only ?? kind) === kind);

/** One round of both clients. */
type Round = readonly [own: Watched, playwright: Watched];

async function runRound(kind: Kind, at: number, site: string, paths: string[], memory = false) {
  const [own, playwright] = kinds[kind];
  if (at % 2 === 0) {
    const first = await lap(own, site, paths, memory);
    return [first, await lap(playwright, site, paths, memory)] as const;
  }
  const first = await lap(playwright, site, paths, memory);
  return [await lap(own, site, paths, memory), first] as const;
}

const figures: Record<string, (one: Watched) => number> = {
  "ms a page": ({ pagesMs }) => pagesMs / Number(values.pages),
  "cpu ms a page: Node": ({ nodeCpuMs }) => nodeCpuMs / Number(values.pages),
  "cpu ms a page: Chromium": ({ chromiumCpuMs }) => chromiumCpuMs / Number(values.pages),
  "cpu ms a page: both": (one) => (one.nodeCpuMs + one.chromiumCpuMs) / Number(values.pages),
  "start: ms": ({ startMs }) => startMs,
  "start: cpu ms of Node": ({ startCpuMs }) => startCpuMs,
  "peak MiB: Node": ({ nodeMiB }) => nodeMiB,
};

function rowOf(what: string, all: readonly Round[], pick: (one: Watched) => number) {
  const ratios = all.map(([own, playwright]) => pick(playwright) / pick(own));
  return {
    what,
    own: round2(median(all.map(([own]) => pick(own)))),
    playwright: round2(median(all.map(([, playwright]) => pick(playwright)))),
    ratio: round2(median(ratios)),
    "ratios from": round2(Math.min(...ratios)),
    to: round2(Math.max(...ratios)),
  };
}

/** The average number of pages with different results in two laps. */
function differing(pairs: readonly (readonly [Watched, Watched])[]): number {
  const counts = pairs.map(
    ([one, other]) =>
      Object.keys(one.seen).filter((path) => one.seen[path] !== other.seen[path]).length,
  );
  return round2(counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length));
}

/**
 * The same client in one round and in the next: such differences come from the pages themselves.
 */
const againItself = (all: readonly Round[]) =>
  all.slice(1).map(([own], at) => [own, (all[at] as Round)[0]] as const);

const { files } = await generateSite();
const paths = [...files]
  .filter(([, { status, type }]) => status === 200 && type.startsWith("text/html"))
  .map(([path]) => path)
  .slice(0, Number(values.pages));
const server = fork(programOf("site-server.ts"));
const results: Record<string, unknown> = {};
const shown: Figure[] = [];
try {
  const { port } = await answerOf<{ port: number }>(server, "The site");
  const origin = `http://127.0.0.1:${port}`;
  for (const kind of selected) {
    const all: Round[] = [];
    for (let at = 0; at < rounds; at += 1) all.push(await runRound(kind, at, origin, paths));
    // Measuring Chromium's memory slows Chromium down, so it has rounds of its own.
    const watched = [await runRound(kind, 0, origin, paths, true)];
    const rows = [
      ...Object.entries(figures).map(([what, pick]) => rowOf(what, all, pick)),
      rowOf("peak MiB: Chromium", watched, ({ chromiumMiB }) => chromiumMiB),
    ];
    const cost = rows.find(({ what }) => what === "cpu ms a page: both")?.ratio ?? Number.NaN;
    const failures = all.flat().flatMap((one) => one.failures);
    const unlike = { playwright: differing(all), itself: differing(againItself(all)) };
    shown.push({
      id: kind,
      what: `${kind} of a page: Playwright ÷ own client, processor time`,
      unit: "×",
      values: [cost],
    });
    results[kind] = { cost, rows, unlike, failures: failures.slice(0, 10) };
    if (values.json) continue;
    console.log(`${kind}: ${paths.length} pages, medians of ${rounds} rounds`);
    console.table(rows);
    console.log(`Playwright costs ${cost} × as much processor time; wanted ≤ ${maxCost}`);
    console.log("pages told otherwise than by the own client:", unlike, failures.slice(0, 5));
  }
} finally {
  server.disconnect();
}
console.log(JSON.stringify({ rounds, pages: paths.length, results }));
printFigures(shown);
