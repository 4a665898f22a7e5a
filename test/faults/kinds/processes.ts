import { run } from "../../../packages/server/src/platform/process.ts";
import { type ProductProcess, resourcesOf, signal } from "../processes.ts";
import type { Product } from "../product.ts";
import type { Random } from "../random.ts";
import { delay, until } from "../wait.ts";
import { always, type FaultContext, type FaultKind } from "./fault.ts";

/** A running process of a random kind, so that rare kinds are hit as often as common ones. */
async function pickProcess(product: Product, random: Random): Promise<ProductProcess | null> {
  const processes = (await product.processes()).filter(({ kind }) => kind !== "other");
  const kinds = [...new Set(processes.map(({ kind }) => kind))].toSorted();
  if (kinds.length === 0) return null;
  const kind = random.pick(kinds);
  return random.pick(processes.filter((one) => one.kind === kind));
}

/** Restarts the product when all of it has ended, like a service manager. */
async function restartAfterSupervisor(product: Product): Promise<void> {
  await until(
    "the end of all processes without their supervisor",
    async () => (await product.processes()).length === 0,
    { timeoutMs: 60_000 },
  );
  product.ensureStarted();
}

/** Kills processes of every kind at random moments. */
export const kill: FaultKind = {
  unavailable: always,
  async inject({ product, random }) {
    const killed: string[] = [];
    for (let left = random.int(1, 4); left > 0; left -= 1) {
      const target = await pickProcess(product, random);
      if (target !== null && signal(target.pid, "SIGKILL")) {
        killed.push(target.kind);
        if (target.kind === "supervisor") await restartAfterSupervisor(product);
      }
      await delay(random.int(0, 1500));
    }
    return `killed ${killed.join(", ")}`;
  },
};

/** Stops a process for some seconds, as a suspended machine or a debugger does. */
export const pause: FaultKind = {
  unavailable: always,
  async inject({ product, random }) {
    const target = await pickProcess(product, random);
    if (target === null) return "nothing ran";
    const ms = random.int(500, 8000);
    signal(target.pid, "SIGSTOP");
    await delay(ms);
    signal(target.pid, "SIGCONT");
    return `stopped ${target.kind} for ${ms} ms`;
  },
};

async function setOpenFiles(pid: number, limit: string): Promise<string> {
  const args = [
    "--pid",
    String(pid),
    "--noheadings",
    ...(limit === "" ? ["--nofile", "--output", "SOFT"] : [`--nofile=${limit}:`]),
  ];
  return (await run("prlimit", args)).stdout.trim();
}

/** Prevents front, web, or the runner from opening files for some seconds. */
export const descriptors: FaultKind = {
  unavailable: always,
  async inject({ product, random, journal }: FaultContext) {
    const processes = await product.processes();
    const targets = processes.filter(({ kind }) => ["front", "web", "runner"].includes(kind));
    if (targets.length === 0) return "nothing ran";
    const { pid, kind } = random.pick(targets);
    const before = await setOpenFiles(pid, "");
    const { files } = await resourcesOf(pid);
    const spare = random.int(0, 12);
    const ms = random.int(1000, 6000);
    journal.tolerant = true;
    await setOpenFiles(pid, String(files + spare));
    await delay(ms);
    await setOpenFiles(pid, before);
    journal.tolerant = false;
    return `${kind} had ${spare} descriptors left for ${ms} ms`;
  },
};
