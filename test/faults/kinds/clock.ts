import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { delay } from "../wait.ts";
import type { FaultContext, FaultKind } from "./fault.ts";

/** Debian's libfaketime, in the folder of this machine's kind; null where it isn't installed. */
function libraryPath(): string | null {
  const folders = readdirSync("/usr/lib").filter((name) => name.endsWith("-linux-gnu"));
  const files = folders.map((name) => join("/usr/lib", name, "faketime/libfaketimeMT.so.1"));
  return files.find((file) => existsSync(file)) ?? null;
}

const offsetFile = ({ product }: FaultContext) => join(product.root, "clock-offset");

/** Seconds by which the processes' clock is ahead of the machine's; negative if behind. */
const setOffset = (context: FaultContext, seconds: number) =>
  writeFile(offsetFile(context), `${seconds >= 0 ? "+" : ""}${seconds}\n`);

const hour = 3600;
const day = 24 * hour;

/**
 * Moves the product's wall clock forward, back, and then corrects it; the monotonic clock
 * continues.
 */
export const clock: FaultKind = {
  unavailable: () => (libraryPath() === null ? "needs libfaketime" : null),
  async prepare(context) {
    await setOffset(context, 0);
    await context.product.stop();
    context.product.extraEnv = {
      LD_PRELOAD: libraryPath() ?? "",
      FAKETIME_TIMESTAMP_FILE: offsetFile(context),
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
    };
    await context.product.ready();
  },
  async inject(context) {
    const { random, journal } = context;
    // Unconfirmed accounts are deleted after a while, so they may be gone after a jump.
    journal.accounts.clear();
    const jumps: number[] = [];
    for (let left = random.int(1, 3); left > 0; left -= 1) {
      const jump = random.pick([-40 * day, -day, -hour, -90, 90, hour, day, 40 * day]);
      await setOffset(context, jump);
      jumps.push(jump);
      await delay(random.int(1500, 5000));
    }
    await setOffset(context, 0);
    await delay(1500);
    journal.accounts.clear();
    return `clock set by ${jumps.join(", ")} s`;
  },
  async restore({ product }) {
    await product.stop();
    product.extraEnv = {};
    await product.ready();
  },
};
