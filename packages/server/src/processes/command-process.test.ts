import { expect, test } from "vitest";
import { makeCommandProcesses } from "./command-process.ts";

test("a command that takes too long is stopped, and whoever waits for it is told so", async () => {
  const { run } = makeCommandProcesses({});
  await expect(run(["--version"], { timeoutMs: 1 })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("too long") as string,
  });
});
