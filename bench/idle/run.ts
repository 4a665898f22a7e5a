/**
 * What an instance needs while nobody uses it: the memory of its processes by PSS, which counts
 * shared pages once, and the processor time of a start until everything serves. Then the same after
 * the admin has opened the console, with the builders that are loaded ahead. The first start has no
 * compiled code, the second has.
 *
 *   node bench/idle/run.ts [--seconds=30]
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { signIn } from "../../test/support/client.ts";
import { startInstance } from "../../test/support/instance.ts";
import { printFigures, type Unit } from "../support/figures.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "30" } } });
const allowedMiB = 350;
const ticksPerSecond = 100;

interface ProcessUse {
  pid: number;
  parent: number;
  name: string;
  cpuMs: number;
  rssMiB: number;
  pssMiB: number;
}

function readUse(pid: number): ProcessUse | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const mib = (key: string) =>
      Math.round(Number(new RegExp(`^${key}:\\s+(\\d+) kB`, "m").exec(rollup)?.[1] ?? 0) / 1024);
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const script = command.findLast((argument) => argument.endsWith(".ts")) ?? command[0] ?? "";
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + (fields[at] ?? 0), 0);
    const cpuMs = (ticks / ticksPerSecond) * 1000;
    const name = script.split("/").at(-1) ?? "";
    return { pid, parent: fields[1] ?? 0, name, cpuMs, rssMiB: mib("Rss"), pssMiB: mib("Pss") };
  } catch {
    return null;
  }
}

/** All processes below this one. */
function descendants(): ProcessUse[] {
  const all = readdirSync("/proc").flatMap((name) =>
    /^\d+$/.test(name) ? (readUse(Number(name)) ?? []) : [],
  );
  const found = new Set([process.pid]);
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => pid !== process.pid && found.has(pid));
}

function report(title: string) {
  const uses = descendants();
  const sum = (key: "cpuMs" | "rssMiB" | "pssMiB") =>
    Math.round(uses.reduce((total, use) => total + use[key], 0));
  console.log(title);
  console.table(uses.map(({ name, cpuMs, rssMiB, pssMiB }) => ({ name, cpuMs, rssMiB, pssMiB })));
  return { title, cpuMs: sum("cpuMs"), rssMiB: sum("rssMiB"), pssMiB: sum("pssMiB") };
}

/** Processes that an idle instance has. */
const lasting = new Set(["main.ts", "front.ts", "web.ts", "runner.ts"]);
const maxWaitMs = 10 * 60_000;

/** Waits until what follows a start is over: lighter copies of the first images are made. */
async function untilIdle(): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  while (descendants().some(({ name }) => !lasting.has(name))) {
    if (performance.now() > deadline) throw new Error("The instance is never idle.");
    await delay(1000);
  }
}

const results = [];
await using instance = await startInstance({ warm: true, readyMs: 10 * 60_000 });
results.push(report("first start"));
await instance.stop();
await instance.start();
results.push(report("second start"));
await delay(Number(values.seconds) * 1000);
await untilIdle();
const idle = report("idle");
results.push(idle);
const admin = await signIn(instance);
await admin.get("/api/adminlog/list");
await delay(Number(values.seconds) * 1000);
const used = report("the admin is there");
results.push(used);
console.table(results);
const met = idle.pssMiB <= allowedMiB;
console.log(`target: idle PSS ≤ ${allowedMiB} MiB: ${met ? "met" : "missed"}`);
console.log(JSON.stringify({ results, allowedMiB, met }));
const figure = (id: string, what: string, unit: Unit, value: number, max?: number) => {
  return { id, what, unit, values: [value], max };
};
printFigures([
  figure(
    "idle",
    "PSS of an idle instance with front and supervisor",
    "MiB",
    idle.pssMiB,
    allowedMiB,
  ),
  figure("used", "PSS with the builders that wait for the admin", "MiB", used.pssMiB),
  figure("first", "first start: processor time", "ms", results[0]?.cpuMs ?? Number.NaN),
  figure("second", "second start: processor time", "ms", results[1]?.cpuMs ?? Number.NaN),
]);
