import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempFolder } from "../../../../test/support/temp.ts";
import { lockState, openLock, removeLock, acquireLock } from "./lock.ts";

test("tasks under one lock never overlap and keep their order", async () => {
  await using folder = await tempFolder();
  const lock = openLock(join(folder.path, "x.lock"));
  const log: string[] = [];
  const task = (name: string) => async () => {
    log.push(`${name} in`);
    await Promise.resolve();
    log.push(`${name} out`);
  };
  await Promise.all([lock.run(task("a")), lock.run(task("b")), lock.run(task("c"))]);
  expect(log).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"]);
  lock.close();
});

test("a second holder waits, then is refused as locked; a task that throws gives the lock back", async () => {
  await using folder = await tempFolder();
  const one = openLock(join(folder.path, "x.lock"));
  const two = openLock(join(folder.path, "x.lock"));
  await one.run(async () => {
    await expect(two.run(async () => 1, { waitMs: 30 })).rejects.toMatchObject({ code: "locked" });
    await expect(one.run(async () => 1, { waitMs: 30 })).rejects.toMatchObject({ code: "locked" });
  });
  await expect(one.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await two.run(async () => 2)).toBe(2);
  one.close();
  two.close();
});

test("who waits can be told to wait no longer; the others keep their turns", async () => {
  await using folder = await tempFolder();
  const one = openLock(join(folder.path, "x.lock"));
  const two = openLock(join(folder.path, "x.lock"));
  const ending = new AbortController();
  await one.run(async () => {
    const { signal } = ending;
    const waiting = [one, two].map((lock) => lock.run(async () => 1, { signal }));
    ending.abort("enough");
    expect(await Promise.allSettled(waiting)).toEqual(
      waiting.map(() => ({ status: "rejected", reason: "enough" })),
    );
  });
  expect([await one.run(async () => 2), await two.run(async () => 3)]).toEqual([2, 3]);
  one.close();
  two.close();
});

/** Starts a process that runs this with the lock module as `lock`, and waits until it says so. */
async function startHolder(program: string): Promise<() => Promise<void>> {
  const module = JSON.stringify(join(import.meta.dirname, "lock.ts"));
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", `import * as lock from ${module};${program}`],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
}

test("a lock whose holder is killed is free at once", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "x.lock");
  const kill = await startHolder(`globalThis.held = lock.openLock(${JSON.stringify(file)});
    held.run(() => new Promise((resolve) => { console.log("held"); setTimeout(resolve, 60_000); }));`);
  const lock = openLock(file);
  await expect(lock.run(async () => 1, { waitMs: 0 })).rejects.toMatchObject({ code: "locked" });
  await kill();
  expect(await lock.run(async () => "free", { waitMs: 0 })).toBe("free");
  lock.close();
});

test("a lock is taken for as long as its process lives, and its file is removed only when it is free", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "a folder?", "100% x.lock");
  expect(lockState(file)).toBe("missing");
  removeLock(file);
  const kill = await startHolder(`globalThis.taken = lock.acquireLock(${JSON.stringify(file)});
    console.log("held"); setTimeout(() => {}, 60_000);`);
  expect(lockState(file)).toBe("held");
  expect(acquireLock(file)).toBeNull();
  removeLock(file);
  expect(await readdir(join(file, ".."))).toEqual(["100% x.lock"]);
  await kill();
  expect(lockState(file)).toBe("free");
  const mine = acquireLock(file);
  expect(lockState(file)).toBe("held");
  mine?.release();
  mine?.release();
  expect(await readdir(join(file, ".."))).toEqual([]);
  acquireLock(file);
  removeLock(file);
  expect(lockState(file)).toBe("held");
});
