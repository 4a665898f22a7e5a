import { expect, test } from "vitest";
import { makeCommandProcesses } from "./command-process.ts";

test("a command that takes too long is stopped, and its caller gets an error that says so", async () => {
  const { run } = makeCommandProcesses({});
  await expect(run(["--version"], { timeoutMs: 1 })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("too long") as string,
  });
});
