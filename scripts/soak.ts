/**
 * Lets a mixed load last, with builds, encodes and a flood of sign-ins, and measures:
 *
 *   npm run soak -- [--seconds 1800] [--seed 1] [--database postgres]
 *
 *   npm run soak -- nodes [--kills 300] [--seed 1] [--seconds 3600] [--nodes 3]
 *
 * Leaks, errors and what must hold are always enforced. The bounds of time and memory need the long
 * form (ten minutes or more); of a shorter one they are printed. Exit 1 where a bound is broken. With
 * `nodes`, several nodes share a database and an object store, and processes and nodes are killed.
 */
import { parseArgs } from "node:util";
import { systemTools } from "../packages/server/src/platform/system-tools.ts";
import { complaints, requestTable } from "../test/faults/report.ts";
import { startSite } from "../test/faults/site.ts";
import { runSoak, type Soak } from "../test/faults/soak/soak.ts";
import type { Growth } from "../test/faults/soak/samples.ts";
import { quantile, table } from "../test/faults/table.ts";
import { type NodesSoakOptions, reportNodes } from "../test/faults/nodes/report.ts";
import { runInNamespace } from "../test/faults/namespace.ts";
import { ensureConsole } from "./console-build.ts";
import { ensureTools } from "./tools.ts";

/**
 * The maximum p99 of the home page as a multiple of nginx's, and the maximum growth of a process's
 * memory.
 */
const bounds = { timesNginx: 1.5, growth: 0.05 } as const;
/** In seconds: for runs of at least this length they are enforced. */
const longForm = 600;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: "string", default: "300" },
    nodes: { type: "string", default: "3" },
    seconds: { type: "string", default: "1800" },
    seed: { type: "string", default: "1" },
    database: { type: "string", default: "sqlite" },
  },
});

const ms = (value: number) => value.toFixed(2);
const mebibytes = (bytes: number) => (bytes / 1024 ** 2).toFixed(1);
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** Prints the figures and returns the limits that are exceeded. */
function report(soak: Soak): string[] {
  const { vitrine, nginx, memory, before, after } = soak;
  const at = (share: number) => [quantile(vitrine, share), quantile(nginx, share)] as const;
  const latency = [0.5, 0.9, 0.99].map((share) => {
    const [ours, theirs] = at(share);
    return [`p${share * 100}`, ms(ours), ms(theirs), (ours / theirs).toFixed(2)];
  });
  console.log(`\n${table(["Home page, ms", "Vitrine", "Idle nginx", "Times"], latency)}`);
  console.log(`${vitrine.length} requests of each`);
  const share = ({ first, last }: Growth) => last / first - 1;
  const rows = memory.map((growth) => {
    const { kind, first, last } = growth;
    const files = `${before.files[kind]} → ${after.files[kind]}`;
    return [kind, mebibytes(first), mebibytes(last), percent(share(growth)), files];
  });
  console.log(`\n${table(["Process", "MiB first", "MiB last", "Growth", "Open files"], rows)}`);
  console.log(`Processes ${before.processes} → ${after.processes}`);
  console.log(`Database connections or files ${before.connections} → ${after.connections}`);
  const [ours, theirs] = at(0.99);
  return [
    ...(ours > theirs * bounds.timesNginx
      ? [
          `the home page's p99 is ${(ours / theirs).toFixed(2)} times nginx's, bound ${bounds.timesNginx}`,
        ]
      : []),
    ...memory
      .filter((growth) => share(growth) > bounds.growth)
      .map((growth) => {
        const grown = percent(share(growth));
        return `${growth.kind} has grown by ${grown}, bound ${percent(bounds.growth)}`;
      }),
  ];
}

async function soakNodes(): Promise<number> {
  const [kills, seed, count] = [values.kills, values.seed, values.nodes].map(Number);
  const seconds = Number(values.seconds);
  if (![kills, seed, count, seconds].every(Number.isInteger)) {
    throw new Error("--kills, --seed, --seconds, and --nodes take whole numbers.");
  }
  await ensureTools(systemTools);
  ensureConsole();
  return reportNodes({ kills, seed, seconds, count } as NodesSoakOptions, console.log);
}

async function main(): Promise<number> {
  if (positionals[0] === "nodes") return soakNodes();
  const { database } = values;
  const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
  if (database !== "sqlite" && database !== "postgres") {
    throw new Error(`--database takes sqlite or postgres, not "${database}".`);
  }
  if (!(seconds > 0) || !Number.isInteger(seed))
    throw new Error("--seconds and --seed take numbers.");
  await ensureTools(systemTools);
  ensureConsole();
  console.log(`Seed ${seed}, ${database}, ${seconds} s`);
  await using site = await startSite(database);
  const soak = await runSoak(site, { seconds, seed, log: (line) => console.log(line) });
  console.log(`\n${requestTable(site.journal)}`);
  const broken = report(soak);
  const isLong = seconds >= longForm;
  for (const bound of broken) console.log(`${isLong ? "BROKEN" : "not enforced"}: ${bound}`);
  for (const violation of soak.violations) console.log(`VIOLATION: ${violation}`);
  if (soak.violations.length > 0) console.log(complaints(site.product.log()));
  return soak.violations.length > 0 || (isLong && broken.length > 0) ? 1 : 0;
}

try {
  process.exitCode = runInNamespace(process.env) ?? (await main());
} catch (error) {
  console.error(error instanceof Error ? error.stack : error);
  process.exitCode = 1;
}
