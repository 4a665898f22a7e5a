/**
 * The QA engine on a generated site of 300 pages and 6,000 links, places and images (`--pages` makes
 * it larger) with known defects, beside linkinator on the same site, in turn in the same run, each lap in a process of its
 * own. The site is served by another process.
 *
 *     node bench/qa/run.ts [--rounds 5] [--pages 300] [--browser-pages 300] [--only browser] [--json]
 *
 * `--only` names the laps to be run, parted by commas; what is told beside linkinator needs its lap.
 * `crawl` asks for and judges links, places and images, as linkinator does; what is no address at
 * all is left to the checks of the markup. `static` makes every check that a browser does not make,
 * `alone` those as well that stand in for it; `unchanged` is the next run over the same site.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { engineArguments } from "../../packages/qa/src/engine/engine-process.ts";
import { tempFolder } from "../../test/support/temp.ts";
import type { Measurement, Mode } from "./outcome.ts";
import { watchChromium } from "./memory.ts";
import { type Figure, printFigures, ratios } from "../support/figures.ts";
import { defaultPages, type Defect, generateSite } from "./site.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    pages: { type: "string", default: String(defaultPages) },
    "browser-pages": { type: "string" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const browserPages = values["browser-pages"] ?? values.pages;
const isSelected = (mode: Mode): boolean => values.only?.split(",").includes(mode) ?? true;
const targets = {
  crawlTime: 0.6,
  crawlMiB: 200,
  staticTime: 1.6,
  unchangedMs: 1000,
  browserPagesPerSecond: 6,
  /** The same on a machine of another speed: 6 pages a second where linkinator takes 0.93 s. */
  browserPagesPerLinkinator: 5.6,
  chromiumMiB: 1200,
};

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const programOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** How many requests the site has received since the last call. */
async function requestsOf(server: ChildProcess): Promise<number> {
  server.send("asked");
  const [{ requestCount }] = (await once(server, "message")) as [{ requestCount: number }];
  return requestCount;
}

interface Measured extends Measurement {
  requests: number;
  chromiumMiB: number;
}

async function runMeasurement(
  mode: Mode,
  server: ChildProcess,
  port: number,
  file: string,
  watchesMemory = false,
): Promise<Measured> {
  const origin = `http://127.0.0.1:${port}`;
  await requestsOf(server);
  // Each is started as its users start it.
  const execArgv = mode === "linkinator" ? [] : [...engineArguments];
  const child = fork(programOf("measure.ts"), [mode, origin, file, browserPages], {
    execArgv,
  });
  const chromium = watchesMemory ? watchChromium(child.pid ?? 0) : null;
  const ended = once(child, "exit");
  const [found] = (await Promise.race([
    once(child, "message"),
    ended.then(([code]) => {
      throw new Error(`The lap “${mode}” ended with ${code}.`);
    }),
  ])) as [Measurement];
  const chromiumMiB = Math.round(chromium?.stop() ?? 0);
  await ended;
  return { ...found, requests: await requestsOf(server), chromiumMiB };
}

/** The known defects that weren't found, by kind. */
function missedBy({ found }: Measurement, defects: readonly Defect[]): Record<string, number> {
  const reported = new Set(found);
  const missed = defects.filter(({ target }) => {
    return !reported.has(target) && !reported.has(URL.parse(target)?.href ?? target);
  });
  return Object.fromEntries(
    [...Map.groupBy(missed, ({ kind }) => kind)].map(([kind, list]) => [kind, list.length]),
  );
}

/** The reported addresses that have no defect. */
function falseAlarms({ found }: Measurement, defects: readonly Defect[]): string[] {
  const wrong = new Set(
    defects.flatMap(({ target }) => [target, URL.parse(target)?.href ?? target]),
  );
  return found.filter((target) => !wrong.has(target));
}

const { defects, counts } = await generateSite(Number(values.pages));
await using folder = await tempFolder();
const file = join(folder.path, "known.json");
const server = fork(programOf("site-server.ts"), [values.pages]);
const measurements: Record<Mode, Measured[]> = {
  linkinator: [],
  crawl: [],
  static: [],
  alone: [],
  unchanged: [],
  browser: [],
};
let chromiumMiB: number | null = null;
try {
  const [{ port }] = (await once(server, "message")) as [{ port: number }];
  const modes: Mode[] = ["linkinator", "crawl", "static", "alone", "unchanged"];
  for (let round = 0; round < rounds; round += 1) {
    // The unchanged run starts from the result of the run alone.
    const turn: Mode[] =
      round % 2 === 0 ? modes : ["alone", "unchanged", "static", "crawl", "linkinator"];
    for (const mode of turn.filter(isSelected)) {
      measurements[mode].push(await runMeasurement(mode, server, port, file));
    }
  }
  if (browserPages !== "0" && isSelected("browser")) {
    measurements.browser.push(await runMeasurement("browser", server, port, file));
    // Measuring Chromium's memory slows Chromium down, so it has a lap of its own.
    ({ chromiumMiB } = await runMeasurement("browser", server, port, file, true));
  }
} finally {
  server.disconnect();
}

const of = (mode: Mode, pick: (one: Measured) => number) => median(measurements[mode].map(pick));
const round2 = (value: number) => Math.round(value * 100) / 100;
/** Each lap against the peer's of the same round: the load of the machine affected both. */
const timesPeer = (mode: Mode, pick: (one: Measured) => number): number | null => {
  if (mode === "browser" || measurements.linkinator.length === 0) return null;
  const pairs = measurements[mode].map(
    (one, at) => pick(one) / pick(measurements.linkinator[at] as Measured),
  );
  return round2(median(pairs));
};
const rows = (Object.keys(measurements) as Mode[])
  .filter((mode) => measurements[mode].length > 0)
  .map((mode) => ({
    mode,
    ms: Math.round(of(mode, ({ ms }) => ms)),
    "× linkinator": timesPeer(mode, ({ ms }) => ms),
    "cpu ms": Math.round(of(mode, ({ cpuMs }) => cpuMs)),
    "× its cpu": timesPeer(mode, ({ cpuMs }) => cpuMs),
    "peak MiB": Math.round(of(mode, ({ rssMiB }) => rssMiB)),
    asked: of(mode, ({ requests }) => requests),
    "of defects": defects.length,
    missed:
      mode === "unchanged"
        ? null
        : Object.values(missedBy(measurements[mode][0] as Measured, defects)).reduce(
            (a, b) => a + b,
            0,
          ),
  }));
const [browser] = measurements.browser;
const perSecond = browser
  ? round2((browser.browserPages ?? 0) / ((browser.browserMs ?? 0) / 1000))
  : null;
const first = (mode: Mode) => measurements[mode][0];
const missed = Object.fromEntries(
  (["linkinator", "crawl", "static", "alone"] as const).flatMap((mode) => {
    const one = first(mode);
    return one ? [[mode, missedBy(one, defects)]] : [];
  }),
);
const row = (mode: Mode) => rows.find((one) => one.mode === mode);
const peer = row("linkinator");
const crawled = first("crawl");
const verdicts = {
  "links, places, pictures: time": [
    row("crawl")?.["× linkinator"],
    `≤ ${targets.crawlTime} × linkinator`,
  ],
  "links, places, pictures: memory": [row("crawl")?.["peak MiB"], `≤ ${targets.crawlMiB} MiB`],
  "links, places, pictures: missed": [
    crawled && (row("crawl")?.missed ?? 0) - (missed["crawl"]?.["malformed address"] ?? 0),
    "0",
  ],
  "links, places, pictures: false": [crawled && falseAlarms(crawled, defects).length, "0"],
  "all static checks: time": [
    row("static")?.["× linkinator"],
    `≤ ${targets.staticTime} × linkinator`,
  ],
  "all static checks: missed": [row("static")?.missed, "0"],
  "unchanged run: ms": [row("unchanged")?.ms, `≤ ${targets.unchangedMs}`],
  "unchanged run: pages in a browser": [
    first("unchanged") && (first("unchanged")?.browserPages ?? 0),
    "0",
  ],
  "browser: pages/s": [perSecond, `≥ ${targets.browserPagesPerSecond}`],
  "browser: pages while linkinator reads the site": [
    perSecond && peer ? round2((perSecond * peer.ms) / 1000) : null,
    `≥ ${targets.browserPagesPerLinkinator}`,
  ],
  "browser: Chromium, MiB": [chromiumMiB, `≤ ${targets.chromiumMiB}`],
};
if (!values.json) {
  const { pages, links, fragments, images } = counts;
  console.log(
    `${pages} pages with ${links} links, ${fragments} places, ${images} pictures; ${defects.length} defects; medians of ${rounds} rounds`,
  );
  console.table(rows);
  console.table(
    Object.entries(verdicts)
      .filter(([, [measured]]) => measured !== undefined && measured !== null)
      .map(([what, [measured, wanted]]) => ({ what, measured, wanted })),
  );
  console.log("missed:", missed);
  const failed = [
    ...new Set(
      Object.values(measurements)
        .flat()
        .flatMap((one) => one.skippedChecks ?? []),
    ),
  ];
  if (failed.length > 0) console.log("not made:", failed.slice(0, 10));
}
console.log(JSON.stringify({ rounds, counts, rows, missed, verdicts }));

const msOf = (mode: Mode) => measurements[mode].map(({ ms }) => ms);
const single = (value: number | null | undefined) => (typeof value === "number" ? [value] : []);
const timesLinkinator = (mode: Mode, what: string, max: number): Figure => ({
  id: `${mode}-ratio`,
  what: `${what} ÷ linkinator`,
  unit: "×",
  values: ratios(msOf(mode), msOf("linkinator")),
  max,
});
const all: Figure[] = [
  timesLinkinator("crawl", "links, fragments, and images", targets.crawlTime),
  timesLinkinator("static", "all checks without a browser", targets.staticTime),
  {
    id: "unchanged",
    what: "next run over the same site",
    unit: "ms",
    values: msOf("unchanged"),
    max: targets.unchangedMs,
  },
  {
    id: "crawl-missed",
    what: "links: defects that were missed",
    unit: "",
    values: single(
      crawled && (row("crawl")?.missed ?? 0) - (missed["crawl"]?.["malformed address"] ?? 0),
    ),
    max: 0,
  },
  {
    id: "static-missed",
    what: "all checks: defects that were missed",
    unit: "",
    values: single(row("static")?.missed),
    max: 0,
  },
  {
    id: "crawl-memory",
    what: "links: memory",
    unit: "MiB",
    values: measurements.crawl.map(({ rssMiB }) => rssMiB),
    max: targets.crawlMiB,
  },
  {
    id: "browser",
    what: "pages in Chromium",
    unit: "/s",
    values: single(perSecond),
    min: targets.browserPagesPerSecond,
  },
  {
    id: "chromium",
    what: "memory of Chromium",
    unit: "MiB",
    values: single(chromiumMiB),
    max: targets.chromiumMiB,
  },
  ...(["linkinator", "crawl", "static"] as const).map((mode): Figure => {
    const title = {
      linkinator: "linkinator",
      crawl: "links, fragments, and images",
      static: "all checks without a browser",
    };
    return { id: mode, what: title[mode], unit: "ms", values: msOf(mode) };
  }),
  ...(["crawl", "static"] as const).map((mode): Figure => {
    const cpuOf = (which: Mode) => measurements[which].map(({ cpuMs }) => cpuMs);
    const title = { crawl: "links, fragments, and images", static: "all checks without a browser" };
    const what = `${title[mode]} ÷ linkinator, processor time`;
    return { id: `${mode}-cpu`, what, unit: "×", values: ratios(cpuOf(mode), cpuOf("linkinator")) };
  }),
];
printFigures(all.filter(({ values: list }) => list.length > 0));
