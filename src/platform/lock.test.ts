import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempFolder } from "../../test/support/temp.ts";
import { openLock } from "./lock.ts";

test("tasks under one lock never overlap and keep their order", async () => {
  await using folder = await tempFolder();
  const lock = openLock(join(folder.path, "x.lock"));
  const log: string[] = [];
  const task = (name: string) => async () => {
    log.push(`${name} in`);
    await Promise.resolve();
    log.push(`${name} out`);
  };
  await Promise.all([lock.hold(task("a")), lock.hold(task("b")), lock.hold(task("c"))]);
  expect(log).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"]);
  lock.close();
});

test("a second holder waits, then is refused as locked; a task that throws gives the lock back", async () => {
  await using folder = await tempFolder();
  const one = openLock(join(folder.path, "x.lock"));
  const two = openLock(join(folder.path, "x.lock"));
  await one.hold(async () => {
    await expect(two.hold(async () => 1, { waitMs: 30 })).rejects.toMatchObject({ code: "locked" });
    await expect(one.hold(async () => 1, { waitMs: 30 })).rejects.toMatchObject({ code: "locked" });
  });
  await expect(one.hold(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await two.hold(async () => 2)).toBe(2);
  one.close();
  two.close();
});

test("a lock whose holder is killed is free at once", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "x.lock");
  const program = `import { openLock } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    globalThis.lock = openLock(${JSON.stringify(file)});
    lock.hold(() => new Promise((resolve) => { console.log("held"); setTimeout(resolve, 60_000); }));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const lock = openLock(file);
  await expect(lock.hold(async () => 1, { waitMs: 0 })).rejects.toMatchObject({ code: "locked" });
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await lock.hold(async () => "free", { waitMs: 0 })).toBe("free");
  lock.close();
});
