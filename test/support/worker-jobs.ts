import { setTimeout as pause } from "node:timers/promises";

/** Jobs for the tests of the worker pool; the pool loads this file in its threads. */

export function double(value: number): number {
  return value * 2;
}

export function spin(): never {
  for (;;);
}

export function exhaust(): number {
  const retained: unknown[] = [];
  for (;;) retained.push(Array.from({ length: 100 }, () => ({ kept: retained })));
}

export function fail(message: string): never {
  throw new Error(message);
}

export function exit(): never {
  // oxlint-disable-next-line unicorn/no-process-exit -- the test is about a thread that ends
  process.exit(3);
}

export function environment(): string[] {
  return Object.keys(process.env);
}

/** Waits until `flag[0]` is no longer 0. */
export async function waitFor(flag: Int32Array): Promise<number> {
  while (Atomics.load(flag, 0) === 0) await pause(2);
  return Atomics.load(flag, 0);
}

/** Appends a number to `list`, whose first element counts. */
export function note({ list, value }: { list: Int32Array; value: number }): void {
  list[Atomics.add(list, 0, 1) + 1] = value;
}
