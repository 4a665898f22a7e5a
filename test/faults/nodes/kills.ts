import { mkdir, rm } from "node:fs/promises";
import { signal } from "../processes.ts";
import type { Product } from "../product.ts";
import type { Random } from "../random.ts";
import { delay } from "../wait.ts";
import type { Cluster } from "./cluster.ts";

/**
 * What is killed: a process, all processes of a node, or a node with its folder. One that is `cut` keeps
 * running, and its database doesn't answer.
 */
export const killKinds = ["web", "runner", "node", "disk", "cut"] as const;
export type KillKind = (typeof killKinds)[number];

/** Kills at random; nodes come back in the background. */
export interface Killer {
  /** Kills something and returns what. */
  kill(): Promise<KillKind | null>;
  /** Waits until all nodes are started. */
  settled(): Promise<void>;
}

/** In twelve kills: five of web, three of a runner, two of a node, one with its folder, and one cut. */
const mix: readonly KillKind[] = [
  ...(["web", "web", "web", "web", "web", "runner", "runner", "runner"] as const),
  ...(["node", "node", "disk", "cut"] as const),
];

/** Installs a node in an empty folder, with the right to be killed in the middle. */
async function reinstall(node: Product, random: Random): Promise<void> {
  const { paths } = node;
  await rm(paths.dir, { recursive: true, force: true });
  await mkdir(paths.dir);
  if (random.next() < 0.3) {
    const installing = node.install().catch(() => {});
    await delay(random.int(200, 5000));
    await node.killAll();
    await installing;
  }
  await node.install();
}

export function makeKiller({ nodes, pages, proxies }: Cluster, random: Random): Killer {
  /** Nodes without processes, which come back. */
  const away = new Map<Product, Promise<void>>();

  async function killProcess(node: Product, kind: "web" | "runner"): Promise<boolean> {
    const target = (await node.processes()).find((one) => one.kind === kind);
    return target !== undefined && signal(target.pid, "SIGKILL");
  }

  async function comeBack(node: Product, isLost: boolean): Promise<void> {
    if (isLost) await reinstall(node, random);
    else await delay(random.int(0, 3000));
    node.start();
  }

  async function cut(node: Product): Promise<void> {
    proxies.get(node)?.stall();
    await delay(random.int(3000, 45_000));
    proxies.get(node)?.flow();
  }

  function add(node: Product, work: Promise<void>): void {
    const back = work.finally(() => away.delete(node));
    // It is awaited later; a failure must not end the program before.
    back.catch(() => {});
    away.set(node, back);
  }

  return {
    async kill() {
      const kind = random.pick(mix);
      const node = random.pick(nodes);
      if (away.has(node)) return null;
      if (kind === "web" || kind === "runner") return (await killProcess(node, kind)) ? kind : null;
      if (kind === "cut") {
        add(node, cut(node));
        return kind;
      }
      await node.killAll();
      await pages.collect(node);
      add(node, comeBack(node, kind === "disk"));
      return kind;
    },
    async settled() {
      await Promise.all(away.values());
    },
  };
}
