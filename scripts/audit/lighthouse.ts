import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { median } from "./targets.ts";

const folder = join(platformRoot, "audit");

/** Installs Lighthouse next to its lockfile, once, because it isn't a dependency of the product. */
export function ensureLighthouse(): void {
  if (existsSync(join(folder, "node_modules/lighthouse/package.json"))) return;
  console.error("Installing Lighthouse into audit/ …");
  const args = ["ci", "--prefix", folder, "--ignore-scripts", "--no-fund", "--no-audit"];
  const npm = spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2] });
  if (npm.status !== 0) throw new Error("Lighthouse can't be installed.");
}

/** The result of one Lighthouse run; see audit/lighthouse.js. */
export interface LighthouseRun {
  scores: number[];
  lcp: number;
  cls: number;
  tbt: number;
  bytes: number;
  requests: number;
  /** By category, the audits that lowered its score. */
  failed: string[][];
  /** Lighthouse's benchmark of the machine; about 1500 for an idle laptop. */
  benchmark: number;
}

export interface Lighthouse extends Disposable {
  measure(address: string, skipAudits?: readonly string[]): Promise<LighthouseRun>;
}

function answerOf(child: ChildProcess): Promise<LighthouseRun> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error("Lighthouse ended."));
    child.once("exit", onExit);
    child.once("message", (message: { measured?: LighthouseRun; error?: string }) => {
      child.off("exit", onExit);
      if (message.measured) resolve(message.measured);
      else reject(new Error(message.error ?? "Lighthouse said nothing."));
    });
  });
}

/** Starts Lighthouse; `launch` returns a new browser with its debugging port. */
export function startLighthouse(
  launch: (port: number) => Promise<Browser>,
  port: number,
): Lighthouse {
  const child = fork(join(folder, "lighthouse.js"), { stdio: ["ignore", 2, 2, "ipc"] });
  return {
    async measure(address, skipAudits = []) {
      const browser = await launch(port);
      try {
        const response = answerOf(child);
        child.send({ address, port, skipAudits });
        return await response;
      } finally {
        await browser.close();
      }
    },
    [Symbol.dispose]() {
      child.disconnect();
    },
  };
}

/** The audits that lowered a category's score in at least half of the runs. */
function oftenFailed(runs: readonly LighthouseRun[], category: number): string[] {
  const failed = runs.flatMap((run) => run.failed[category] ?? []);
  const times = (id: string) => failed.filter((other) => other === id).length;
  return [...new Set(failed)].filter((id) => times(id) * 2 >= runs.length);
}

/** The median of each figure; without runs, there are no scores. */
export function middleOf(runs: readonly LighthouseRun[]): Omit<LighthouseRun, "benchmark"> {
  const middle = (figure: (run: LighthouseRun) => number) => median(runs.map(figure));
  const each = runs.length === 0 ? [] : [0, 1, 2, 3];
  return {
    scores: each.map((category) => Math.floor(middle(({ scores }) => scores[category] ?? 0))),
    lcp: middle(({ lcp }) => lcp),
    cls: middle(({ cls }) => cls),
    tbt: middle(({ tbt }) => tbt),
    bytes: middle(({ bytes }) => bytes),
    requests: middle(({ requests }) => requests),
    failed: each.map((category) => oftenFailed(runs, category)),
  };
}
