import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../../../test/support/temp.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { makeAccessLog } from "./access-log.ts";
import { openBackgroundDestination } from "./background-destination.ts";
import { createLog } from "./log.ts";

let folder: TempFolder;
let file: string;
let descriptor: number;
beforeEach(async () => {
  folder = await tempFolder();
  file = join(folder.path, "log");
  descriptor = openSync(file, "a");
});
afterEach(async () => {
  closeSync(descriptor);
  await folder.remove();
});

const written = () => readFileSync(file, "utf8");

describe("a log in the background", () => {
  test("has every line in its order after it is closed, and each line at once from then on", async () => {
    const destination = openBackgroundDestination({ descriptor });
    const lines = Array.from(
      { length: 20_000 },
      (_, at) => `line ${at} ${"x".repeat(at % 50)} ü\n`,
    );
    for (const line of lines) destination.write(line);
    await destination.close();
    expect(written()).toBe(lines.join(""));
    destination.write("late\n");
    expect(written().endsWith("ü\nlate\n")).toBe(true);
  });

  test("writes a line after a pause immediately, and together those that come soon after it", async () => {
    const destination = openBackgroundDestination({ descriptor });
    for (const line of ["one\n", "two\n", "three\n"]) destination.write(line);
    expect(written()).not.toContain("two");
    await eventually(() => expect(written()).toBe("one\n"));
    await eventually(() => expect(written()).toBe("one\ntwo\nthree\n"));
    await destination.close();
  });

  test("abuse 183: a flood of lines takes bounded memory; how many were dropped is told", async () => {
    const destination = openBackgroundDestination({ descriptor, maxPendingLength: 100_000 });
    const line = `${"x".repeat(999)}\n`;
    for (let count = 0; count < 1000; count += 1) destination.write(line);
    await destination.close();
    const kept = written().match(/^x+$/gm)?.length ?? 0;
    const dropped = Number(/"msg":"(\d+) log lines were dropped"/.exec(written())?.[1]);
    expect([kept > 90, kept < 250, kept + dropped]).toEqual([true, true, 1000]);
  });

  const program = (body: string) => [
    "--input-type=module",
    "-e",
    `import { openBackgroundDestination } from ${JSON.stringify(fileURLToPath(new URL("background-destination.ts", import.meta.url)))};
     const destination = openBackgroundDestination();
     process.on("exit", destination.flushSync);
     ${body}`,
  ];

  test("nothing is lost when the process ends by an error nobody has caught", () => {
    const body = `destination.write("last words\\n"); throw new Error("oops");`;
    const { stderr } = spawnSync(process.execPath, program(body), { encoding: "utf8" });
    expect(stderr).toContain("last words\n");
  });

  test("a reader that takes nothing holds nobody up, and gets all that was kept", async () => {
    const body = `
      for (let count = 0; count < 2000; count += 1) destination.write("x".repeat(999) + "\\n");
      process.stdout.write("still answering\\n");
      await destination.close();`;
    const child = spawn(process.execPath, program(body));
    child.stderr.pause();
    const [first] = (await new Promise<[Buffer]>((done) => {
      child.stdout.once("data", (chunk: Buffer) => done([chunk]));
    })) as [Buffer];
    expect(first.toString()).toBe("still answering\n");
    expect((await text(child.stderr)).match(/^x+$/gm)).toHaveLength(2000);
  });
});

test("the line of a request has the form of every other line, and its level", async () => {
  const destination = openBackgroundDestination({ descriptor });
  createLog({ level: "info", name: "web", destination }).info({ reqId: "r" }, "request");
  const request = {
    reqId: "r",
    method: "GET",
    pathJson: JSON.stringify('/a"b\\c'),
    status: 200,
    ms: 1.26,
    ip: 'x"y',
  };
  makeAccessLog({ name: "web", isEnabled: true, destination })(request);
  makeAccessLog({ name: "web", isEnabled: false, destination })(request);
  await destination.close();
  const lines = written()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toHaveLength(2);
  const [plain, own] = lines;
  expect({ ...own, time: plain?.["time"] }).toEqual({
    ...plain,
    method: "GET",
    path: '/a"b\\c',
    status: 200,
    ms: 1.3,
    ip: 'x"y',
  });
  expect(own?.["time"]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
});
