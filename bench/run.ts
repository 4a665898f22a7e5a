/**
 * Runs the benches one after the other and writes docs/benchmarks.md with their figures, the machine's
 * load meanwhile, and the targets that were missed. Figures of benches that aren't run stay from their
 * last run (bench/report/results.json).
 *
 *   npm run bench [-- NAME…] [--quick] [--args="--rounds=3"] [--list] [--render]
 *
 * `--quick` tries them with few rounds and small sizes, and writes nothing. `--args` replaces the arguments
 * of the one that is named: its other figures stay. `--render` only writes the document again.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { platformRoot } from "../packages/server/src/platform/paths.ts";
import {
  benchTools,
  missingTools,
  systemTools,
} from "../packages/server/src/platform/system-tools.ts";
import { type Bench, benches } from "./catalog.ts";
import { growthChart } from "./report/chart.ts";
import { benchmarksDocument } from "./report/markdown.ts";
import { reasons } from "./report/reasons.ts";
import {
  type BenchResult,
  mergeResult,
  readResults,
  type Results,
  writeResults,
} from "./report/results.ts";
import { isMet, median, readFigures } from "./support/figures.ts";
import { watchLoad } from "./support/load.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    args: { type: "string" },
    list: { type: "boolean", default: false },
    render: { type: "boolean", default: false },
  },
});
const resultsFile = join(import.meta.dirname, "report/results.json");
const docs = join(platformRoot, "docs");
const chart = "images/growth.svg";

/** Only these reach the programs, so that the environment of who measures changes nothing. */
const environment = (): NodeJS.ProcessEnv => {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
};

async function missingFor({ tools = [] }: Bench): Promise<string | undefined> {
  const missing = await missingTools(
    [...systemTools, ...benchTools].filter(({ name }) => tools.includes(name)),
  );
  if (missing.length === 0) return undefined;
  const names = missing.map(({ name }) => name).join(" and ");
  return `${names} isn't installed (\`npm run tools -- --bench\`).`;
}

/** Runs a program, shows what it prints, and returns what it printed to standard output. */
async function runProgram({ program, args = [], quickArgs }: Bench) {
  const file = join(import.meta.dirname, program);
  const given = values.args?.split(" ").filter(Boolean);
  const child = spawn(process.execPath, [file, ...(given ?? (values.quick ? quickArgs : args))], {
    cwd: platformRoot,
    env: environment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { output, code };
}

async function measure(bench: Bench): Promise<BenchResult> {
  const [at, started, load] = [new Date().toISOString(), performance.now(), watchLoad()];
  const result = (figures: BenchResult["figures"], failure?: string): BenchResult => ({
    runs: [
      {
        at,
        seconds: Math.round((performance.now() - started) / 1000),
        load: load.stop(),
        ...(values.args !== undefined && { args: values.args }),
      },
    ],
    figures,
    ...(failure === undefined ? {} : { failure }),
  });
  const missing = await missingFor(bench);
  if (missing !== undefined) return result([], missing);
  const { output, code } = await runProgram(bench);
  const figures = readFigures(output);
  // Some end with an error if a target is missed: the figures say the same.
  if (figures !== undefined) return result(figures);
  console.error(output);
  return result([], `the program ended with ${code ?? "a signal"} and without figures.`);
}

function print({ name }: Bench, { figures, failure }: BenchResult): void {
  if (failure !== undefined) console.error(`${name}: not measured: ${failure}`);
  if (figures.length === 0) return;
  console.table(
    figures.map((figure) => {
      const { what, column, unit, max, min } = figure;
      const target = max === undefined ? min && `≥ ${min}` : `≤ ${max}`;
      const verdict = { true: "met", false: "missed" }[String(isMet(figure))];
      const got = Number(median(figure.values).toPrecision(4));
      return { what: column ? `${what}, ${column}` : what, got, unit, target, verdict };
    }),
  );
}

function writeDocument(results: Results): void {
  const growth = results.benches["growth"]?.figures ?? [];
  const charts: Record<string, string> = {};
  if (growth.length > 0) {
    mkdirSync(join(docs, "images"), { recursive: true });
    writeFileSync(join(docs, chart), growthChart(growth));
    charts["growth"] = chart;
  }
  const text = benchmarksDocument(results, { benches, reasons, charts });
  writeFileSync(join(docs, "benchmarks.md"), text);
}

async function main(): Promise<void> {
  if (values.list) {
    for (const { name, title } of benches) console.log(`${name.padEnd(16)} ${title}`);
    return;
  }
  const unknown = positionals.filter((name) => benches.every((bench) => bench.name !== name));
  if (values.args !== undefined && positionals.length !== 1) {
    console.error("--args is for one bench: name it.");
    process.exitCode = 2;
    return;
  }
  if (unknown.length > 0) {
    console.error(`Unknown: ${unknown.join(", ")}. \`npm run bench -- --list\` names all.`);
    process.exitCode = 2;
    return;
  }
  const isWanted = ({ name }: Bench) => positionals.length === 0 || positionals.includes(name);
  for (const bench of values.render ? [] : benches.filter(isWanted)) {
    console.error(`— ${bench.name}`);
    const result = await measure(bench);
    print(bench, result);
    if (result.failure !== undefined) process.exitCode = 1;
    if (values.quick) continue;
    // After each, so that an aborted run isn't lost; of what another run has written meanwhile, too.
    const results = readResults(resultsFile);
    results.benches[bench.name] = mergeResult(results.benches[bench.name], result);
    writeResults(resultsFile, results);
    writeDocument(results);
  }
  if (values.render) writeDocument(readResults(resultsFile));
}

await main();
