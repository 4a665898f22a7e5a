/**
 * Injects faults under a mixed load and checks all invariants after each:
 *
 *   npm run faults -- [--seconds 600] [--seed 1] [--rounds 1000] [--only kill,power] [--database
 *   postgres]
 * Prints a line per round and a table at the end. Exits with 1 on a violation, with the command
 * that repeats it.
 */
import { parseArgs } from "node:util";
import { type SystemTool, systemTools } from "../packages/server/src/platform/system-tools.ts";
import { type Campaign, runCampaign } from "../test/faults/campaign.ts";
import { faultKinds } from "../test/faults/kinds/kinds.ts";
import { complaints, requestTable } from "../test/faults/report.ts";
import { type Site, startSite } from "../test/faults/site.ts";
import { quantile, table } from "../test/faults/table.ts";
import { runInNamespace } from "../test/faults/namespace.ts";
import { ensureConsole } from "./console-build.ts";
import { ensureTools } from "./tools.ts";

const faketime: SystemTool = {
  name: "faketime",
  binaries: ["faketime"],
  package: "faketime",
  need: "test",
  purpose: "sets the clock of the processes under test; without it that fault is left out",
};

function readOptions() {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "600" },
      seed: { type: "string" },
      rounds: { type: "string", default: "1000" },
      only: { type: "string" },
      database: { type: "string", default: "sqlite" },
    },
  });
  const kinds = values.only?.split(",") ?? Object.keys(faultKinds);
  const unknown = kinds.find((name) => !(name in faultKinds));
  if (unknown !== undefined) {
    throw new Error(
      `There is no fault "${unknown}". Choose from: ${Object.keys(faultKinds).join(", ")}`,
    );
  }
  if (values.database !== "sqlite" && values.database !== "postgres") {
    throw new Error(`--database takes sqlite or postgres, not "${values.database}".`);
  }
  const seed =
    values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
  const numbers = { seconds: Number(values.seconds), rounds: Number(values.rounds), seed };
  const wrong = Object.entries(numbers).find(([, value]) => !Number.isFinite(value));
  if (wrong) throw new Error(`--${wrong[0]} takes a number.`);
  return { ...numbers, kinds, only: values.only !== undefined, database: values.database } as const;
}

function report({ rounds, skipped, swept }: Campaign, { journal }: Site): void {
  const kinds = [...new Set(rounds.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => {
    const own = rounds.filter((round) => round.kind === kind);
    const times = own.map(({ recoveryMs }) => recoveryMs);
    const broken = own.reduce((sum, { violations }) => sum + violations.length, 0);
    return [kind, own.length, Math.round(quantile(times, 0.5)), Math.max(...times), broken];
  });
  console.log(`\n${table(["Fault", "Rounds", "Median ms to ok", "Longest", "Violations"], rows)}`);
  console.log(`\n${requestTable(journal)}`);
  for (const [kind, why] of skipped) console.log(`NOT RUN: ${kind}: ${why}`);
  for (const violation of swept) console.log(`VIOLATION after the last sweep: ${violation}`);
}

async function main(): Promise<number> {
  const options = readOptions();
  await ensureTools([...systemTools, faketime]);
  ensureConsole();
  console.log(`Seed ${options.seed}, ${options.database}, ${options.seconds} s`);
  await using site = await startSite(options.database);
  const ending = new AbortController();
  // The round finishes, and what was mounted and started is removed with it.
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => ending.abort());
  const { signal } = ending;
  const campaign = await runCampaign(site, {
    ...options,
    signal,
    log: (line) => console.log(line),
  });
  report(campaign, site);
  const broken = campaign.rounds.find(({ violations }) => violations.length > 0);
  if (broken === undefined && campaign.swept.length === 0) {
    return campaign.rounds.length > 0 || options.only === false ? 0 : 1;
  }
  console.log(`\n${complaints(site.product.log())}`);
  const { kind, seed } = broken ?? { kind: options.kinds.join(), seed: options.seed };
  const rounds = broken === undefined ? "" : " --rounds 1";
  console.log(
    `\nRepeat it: npm run faults -- --database ${options.database} --only ${kind} --seed ${seed}${rounds}`,
  );
  return 1;
}

try {
  process.exitCode = runInNamespace(process.env) ?? (await main());
} catch (error) {
  console.error(error instanceof Error ? error.stack : error);
  process.exitCode = 1;
}
