/**
 * Runs the Editor's agent harness on the editing tasks in this folder; README.md explains the
 * result.
 *
 *     node bench/agent/run.ts [--kind clean,clumsy,hostile,broken] [--task heading,price] [--build]
 *     [--json out.json]
 *     node bench/agent/run.ts --real [--model claude-sonnet-4-5] [--prices 3,15] [--build]
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { ModelChoice } from "../../packages/server/src/features/agent/model-choice.ts";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { buildChecker, quickChecker, type SiteChecker } from "./check-site.ts";
import { type Result, runReal, runScripted, tasks } from "./evaluate.ts";
import { type Kind, kinds } from "./scripted.ts";
import { type Figure, printFigures } from "../support/figures.ts";
import { secret } from "./workspace.ts";

const { values } = parseArgs({
  options: {
    kind: { type: "string", default: kinds.join(",") },
    task: { type: "string", default: "" },
    json: { type: "string", default: "" },
    model: { type: "string", default: "" },
    prices: { type: "string", default: "" },
    real: { type: "boolean", default: false },
    build: { type: "boolean", default: false },
  },
});

/** The model whose key is in the environment. */
function realChoice(): ModelChoice {
  const {
    ANTHROPIC_API_KEY: anthropic,
    OPENAI_API_KEY: openai,
    OPENAI_BASE_URL: baseUrl,
  } = process.env;
  const [inputPrice, outputPrice] = values.prices.split(",").filter(Boolean).map(Number);
  const prices = {
    ...(inputPrice === undefined ? {} : { inputPrice }),
    ...(outputPrice === undefined ? {} : { outputPrice }),
  };
  const rest = { abilities: null, from: "file" as const };
  if (baseUrl !== undefined) {
    const config = { provider: "openai-compatible" as const, id: values.model, baseUrl, ...prices };
    if (values.model === "") throw new Error("--model is needed with OPENAI_BASE_URL");
    return { config, apiKey: openai ?? null, ...rest };
  }
  if (anthropic !== undefined) {
    const id = values.model || "claude-sonnet-4-5";
    return { config: { provider: "anthropic", id, ...prices }, apiKey: anthropic, ...rest };
  }
  if (openai !== undefined) {
    const id = values.model || "gpt-5";
    return { config: { provider: "openai", id, ...prices }, apiKey: openai, ...rest };
  }
  throw new Error("--real needs ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL");
}

interface Row {
  kind: string;
  runs: number;
  passed: number;
  solved: number;
  steps: number;
  tokens: number;
  cached: number;
  cost: number | null;
  seconds: number;
}

function rowOf(kind: string, results: readonly Result[]): Row {
  const total = (pick: (result: Result) => number) =>
    results.reduce((sum, result) => sum + pick(result), 0);
  const priced = results.every(({ cost }) => cost !== null);
  return {
    kind,
    runs: results.length,
    passed: results.filter(({ passed }) => passed).length,
    solved: results.filter(({ solved }) => solved).length,
    steps: total(({ steps }) => steps),
    tokens: total((r) => r.inputTokens + r.outputTokens),
    cached: total(({ cachedTokens }) => cachedTokens),
    cost: priced ? Math.round(total(({ cost }) => cost ?? 0) * 10_000) / 10_000 : null,
    seconds: Math.round(total(({ ms }) => ms) / 100) / 10,
  };
}

function print(results: readonly Result[]): Row[] {
  const groups = Map.groupBy(results, ({ kind }) => kind as string);
  const rows = [...groups].map(([kind, group]) => rowOf(kind, group));
  if (rows.length > 1) rows.push(rowOf("all", results));
  console.table(rows);
  for (const { task, kind, faults, harm, ended, passed } of results) {
    if (passed) continue;
    console.log(`${kind} ${task}: ${[...harm, ...faults].join("; ")} (${ended})`);
  }
  return rows;
}

/** Runs several at once, because runs mostly wait for their model and the disk. */
async function interleaved(jobs: readonly (() => Promise<Result>)[], atOnce: number) {
  const results: Result[] = [];
  const waiting = jobs.entries();
  const work = async () => {
    for (const [at, job] of waiting) results[at] = await job();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

function jobsOf(checker: SiteChecker): (() => Promise<Result>)[] {
  const wanted = values.task.split(",").filter(Boolean);
  const choice = values.real ? realChoice() : null;
  return [...tasks.entries()]
    .filter(([, task]) => wanted.length === 0 || wanted.includes(task.id))
    .flatMap(([at, task]) =>
      choice === null
        ? (values.kind.split(",") as Kind[]).map(
            (kind) => () => runScripted(task, kind, at, checker),
          )
        : [() => runReal(task, choice, checker)],
    );
}

/** The share of runs that passed, by kind of model. */
function figuresOf(results: readonly Result[]): Figure[] {
  return [...Map.groupBy(results, ({ kind }) => kind as string)].map(([kind, group]) => {
    const share = (group.filter(({ passed }) => passed).length / group.length) * 100;
    const what = `${kind} model: runs that pass, of ${group.length}`;
    const min = values.real ? undefined : 100;
    return { id: kind, what, unit: "%", values: [share], min };
  });
}

async function main(): Promise<void> {
  // Where a tool could read it if there were a way.
  process.env["VITRINE_BENCH_SECRET"] = secret;
  const template = join(platformRoot, "packages/template");
  const checker = values.build ? await buildChecker(template) : quickChecker();
  try {
    const results = await interleaved(jobsOf(checker), values.real ? 1 : 4);
    const rows = print(results);
    const report = { tasks: tasks.length, rows, results };
    if (values.json === "") console.log(JSON.stringify({ tasks: tasks.length, rows }));
    else await writeFile(values.json, JSON.stringify(report, null, 2));
    printFigures(figuresOf(results));
    if (results.some(({ passed }) => !passed) && !values.real) process.exitCode = 1;
  } finally {
    await checker.close();
  }
}

await main();
