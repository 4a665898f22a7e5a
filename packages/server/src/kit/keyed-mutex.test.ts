import { expect, test } from "vitest";
import { makeKeyedMutex } from "./keyed-mutex.ts";

test("tasks of one key run one after the other in order, those of another key at once", async () => {
  const mutex = makeKeyedMutex();
  const finished: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = mutex.run("a", async () => {
    await gate.promise;
    finished.push("a1");
  });
  const second = mutex.run("a", async () => void finished.push("a2"));
  await mutex.run("b", async () => void finished.push("b"));
  expect(finished).toEqual(["b"]);
  gate.resolve();
  await Promise.all([first, second]);
  expect(finished).toEqual(["b", "a1", "a2"]);
});

test("a task that fails rejects for its caller alone and lets the next one run", async () => {
  const mutex = makeKeyedMutex();
  const failed = mutex.run("a", () => Promise.reject(new Error("broken")));
  const next = mutex.run("a", async () => "done");
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe("done");
});
