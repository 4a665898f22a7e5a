import { afterAll, describe, expect, it } from "vitest";
import { AppError } from "../kit/errors.ts";
import type * as jobs from "../../../../test/support/worker-jobs.ts";
import { makeWorkerPool, WorkerFailure, workerJob } from "./worker-pool.ts";

const file = new URL("../../../../test/support/worker-jobs.ts", import.meta.url);
const double = workerJob<typeof jobs.double>(file, "double");
const pool = makeWorkerPool({ threads: 1, maxHeapMb: 48 });
afterAll(() => pool.close());

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "no failure",
    (error: unknown) => (error instanceof WorkerFailure ? error.reason : String(error)),
  );

describe("makeWorkerPool", () => {
  it("runs a function of a file and gives its result", async () => {
    expect(await pool.run(double, 21)).toBe(42);
  });

  it("passes on what the job throws", async () => {
    const job = workerJob<typeof jobs.fail>(file, "fail");
    await expect(pool.run(job, "no such page")).rejects.toThrow("no such page");
  });

  it("gives threads nothing of the process's environment", async () => {
    const job = workerJob<typeof jobs.environment>(file, "environment");
    expect(await pool.run(job, undefined as never)).toEqual([]);
  });

  it("abuse 140: stops a job that never ends, and goes on with the next", async () => {
    const endless = workerJob<typeof jobs.spin>(file, "spin", 300);
    const stopped = pool.run(endless, undefined as never);
    await expect(stopped).rejects.toMatchObject({ reason: "timeout", code: "unavailable" });
    expect(await pool.run(double, 1)).toBe(2);
  });

  it("abuse 140: a job that takes all memory costs its thread and nothing else", async () => {
    const job = workerJob<typeof jobs.exhaust>(file, "exhaust", 60_000);
    expect(await reasonOf(pool.run(job, undefined as never))).toBe("memory");
    expect(await pool.run(double, 2)).toBe(4);
  });

  it("abuse 140: a thread that exits fails its job only", async () => {
    const job = workerJob<typeof jobs.exit>(file, "exit");
    const failure = pool.run(job, undefined as never);
    await expect(failure).rejects.toBeInstanceOf(AppError);
    expect(await pool.run(double, 3)).toBe(6);
  });

  it("stops a running job when its signal aborts, with the signal's reason", async () => {
    const controller = new AbortController();
    const job = workerJob<typeof jobs.waitFor>(file, "waitFor");
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const running = pool.run(job, flag, { signal: controller.signal });
    controller.abort(new Error("the run was cancelled"));
    await expect(running).rejects.toThrow("the run was cancelled");
    expect(await pool.run(double, 4)).toBe(8);
  });

  it("lets kinds of jobs take turns, keeps the order within one, and refuses what is too much", async () => {
    const narrow = makeWorkerPool({ threads: 1, maxWaiting: 3 });
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const list = new Int32Array(new SharedArrayBuffer(4 * 10));
    const note = workerJob<typeof jobs.note>(file, "note");
    const other = { ...note, file: new URL(file).pathname.replace("/support/", "/./support/") };
    const first = narrow.run(workerJob<typeof jobs.waitFor>(file, "waitFor"), flag);
    const controller = new AbortController();
    const waiting = [
      narrow.run(note, { list, value: 1 }),
      narrow.run(note, { list, value: 2 }),
      narrow.run(note, { list, value: 9 }, { signal: controller.signal }),
      narrow.run(other, { list, value: 3 }),
    ];
    expect(await reasonOf(narrow.run(note, { list, value: 8 }))).toBe("busy");
    // Too many of one kind take no place from another.
    const another = narrow.run(double, 1);
    controller.abort(new Error("given up"));
    await expect(waiting[2]).rejects.toThrow("given up");
    Atomics.store(flag, 0, 1);
    await Promise.all([first, ...waiting.filter((_, i) => i !== 2)]);
    expect(Array.from(list.slice(0, 4))).toEqual([3, 1, 3, 2]);
    expect(await another).toBe(2);
    await narrow.close();
  });
});
