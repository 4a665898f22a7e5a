import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { tempFolder, type TempFolder } from "../../../../test/support/temp.ts";
import { createLog } from "../platform/log.ts";
import { nodeBinary } from "../platform/paths.ts";
import { type ProcessSpec, supervise } from "./supervisor.ts";

let folder: TempFolder;
let lines: string[];
const log = createLog({
  level: "debug",
  name: "test",
  destination: { write: (line) => void lines.push(line) },
});

beforeEach(async () => {
  lines = [];
  folder = await tempFolder();
});
afterEach(() => folder.remove());

/** A process that notes each of its starts in a file and then does what `code` says. */
async function make(name: string, code: string): Promise<ProcessSpec> {
  const file = join(folder.path, `${name}.mjs`);
  const note = `require("node:fs").appendFileSync(${JSON.stringify(notes(name))}, process.pid + "\\n");`;
  const head = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`;
  await writeFile(file, `${head}\n${note}\n${code}`);
  return { name, command: nodeBinary, args: [file], env: {} };
}

function notes(name: string): string {
  return join(folder.path, `${name}.starts`);
}

async function starts(name: string): Promise<number[]> {
  const text = await readFile(notes(name), "utf8").catch(() => "");
  return text.split("\n").filter(Boolean).map(Number);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const serves = `process.send("ready"); process.on("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1000);`;

test("says ready once both serve, forwards the end and waits for both", async () => {
  const processes = [await make("a", serves), await make("b", serves)];
  const onReady = vi.fn();
  const supervisor = supervise({ processes, log, onReady });
  await eventually(() => expect(onReady).toHaveBeenCalledTimes(1));
  const pids = [...(await starts("a")), ...(await starts("b"))];
  expect(pids.every(isAlive)).toBe(true);
  supervisor.stop();
  supervisor.stop();
  expect(await supervisor.ended).toBe(0);
  expect(pids.some(isAlive)).toBe(false);
});

test("passes on what its processes print to stderr line by line, if somebody wants it", async () => {
  const printed: string[] = [];
  const spec = await make("a", `process.stderr.write("one\\ntwo"); throw new Error("crash");`);
  const timeouts = { firstDelayMs: 60_000, stableMs: 0 };
  const onOutput = (line: string) => void printed.push(line);
  const supervisor = supervise({ processes: [spec], log, timeouts, onOutput });
  await eventually(() => {
    expect(printed[0]).toBe("one\n");
    expect(printed.some((line) => line.includes("Error: crash"))).toBe(true);
  });
  supervisor.stop();
  await supervisor.ended;
});

test("starts a killed process again, with a growing delay, and leaves the other alone", async () => {
  const processes = [await make("a", serves), await make("b", `process.exit(1)`)];
  const times = { firstDelayMs: 20, maxDelayMs: 80, stableMs: 60_000 };
  const supervisor = supervise({ processes, log, timeouts: times });
  await eventually(async () => expect((await starts("b")).length).toBeGreaterThan(4));
  const delays = lines
    .map((line) => JSON.parse(line) as { process: string; restartInMs?: number })
    .filter((line) => line.process === "b" && line.restartInMs !== undefined)
    .map((line) => line.restartInMs);
  expect(delays.slice(0, 4)).toEqual([0, 20, 40, 80]);
  await eventually(async () => expect(await starts("a")).toHaveLength(1));
  const [first = 0] = await starts("a");
  process.kill(first, "SIGKILL");
  await eventually(async () => expect(await starts("a")).toHaveLength(2));
  supervisor.stop();
  expect(await supervisor.ended).toBe(0);
});

test("a process stands back as far as it is told to, and one with a short time to recover is back at once", async () => {
  const short = { ...(await make("a", serves)), niceness: 5, stableMs: 0 };
  const supervisor = supervise({ processes: [short, await make("b", serves)], log });
  for (let round = 1; round < 4; round += 1) {
    await eventually(async () => expect(await starts("a")).toHaveLength(round));
    const pid = (await starts("a")).at(-1) ?? 0;
    expect(getPriority(pid)).toBe(getPriority() + 5);
    process.kill(pid, "SIGKILL");
  }
  await eventually(async () => expect(await starts("b")).toHaveLength(1));
  expect(getPriority((await starts("b"))[0])).toBe(getPriority());
  supervisor.stop();
  expect(await supervisor.ended).toBe(0);
});

test("a process that ran long enough waits the first delay again", async () => {
  const processes = [await make("a", `process.exit(1)`)];
  const supervisor = supervise({ processes, log, timeouts: { firstDelayMs: 5, stableMs: 0 } });
  await eventually(async () => expect((await starts("a")).length).toBeGreaterThan(3));
  supervisor.stop();
  await supervisor.ended;
  expect(lines.join("")).not.toContain(`"restartInMs":10`);
});

test("a wrong configuration ends all at once with exit code 2", async () => {
  const processes = [await make("a", serves), await make("b", `process.exit(2)`)];
  const supervisor = supervise({ processes, log });
  expect(await supervisor.ended).toBe(2);
  expect(await starts("b")).toHaveLength(1);
  expect((await starts("a")).some(isAlive)).toBe(false);
});

test("abuse 170: what does not end in time is killed with all it started", async () => {
  const grandchild = `const { spawn } = await import("node:child_process");
    const child = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"]);
    require("node:fs").appendFileSync(${JSON.stringify(join(folder.path, "g.starts"))}, child.pid + "\\n");
    process.on("SIGTERM", () => {}); process.send("ready"); setInterval(() => {}, 1000);`;
  const processes = [await make("a", grandchild)];
  const ready = Promise.withResolvers<void>();
  const supervisor = supervise({
    processes,
    log,
    timeouts: { shutdownMs: 200 },
    onReady: ready.resolve,
  });
  await ready.promise;
  const pids = [...(await starts("a")), ...(await starts("g"))];
  expect(pids).toHaveLength(2);
  supervisor.stop();
  expect(await supervisor.ended).toBe(0);
  await eventually(() => expect(pids.some(isAlive)).toBe(false));
});

test("a stop while a restart waits ends at once", async () => {
  const processes = [await make("a", `process.exit(1)`)];
  const supervisor = supervise({ processes, log, timeouts: { firstDelayMs: 60_000 } });
  await eventually(() => expect(lines.join("")).toContain("restartInMs"));
  supervisor.stop();
  expect(await supervisor.ended).toBe(0);
});

test("a program that can't be started is tried again, not thrown", async () => {
  const missing = { name: "a", command: join(folder.path, "none"), args: [], env: {} };
  const supervisor = supervise({ processes: [missing], log, timeouts: { firstDelayMs: 10 } });
  await eventually(() => expect(lines.join("")).toContain(`"restartInMs":20`));
  supervisor.stop();
  expect(await supervisor.ended).toBe(0);
});

test("children see that their supervisor is gone, even when it was killed", async () => {
  const worker = await make(
    "a",
    `process.on("disconnect", () => process.exit(0)); setInterval(() => {}, 1000); process.send("ready");`,
  );
  const boss = join(folder.path, "boss.mjs");
  const module = JSON.stringify(join(import.meta.dirname, "supervisor.ts"));
  const logModule = JSON.stringify(join(import.meta.dirname, "../platform/log.ts"));
  await writeFile(
    boss,
    `import { supervise } from ${module}; import { createLog } from ${logModule};
     supervise({ processes: [${JSON.stringify(worker)}], log: createLog({ level: "silent", name: "x" }) });`,
  );
  const child = spawn(nodeBinary, [boss], { stdio: "ignore" });
  await eventually(async () => expect(await starts("a")).toHaveLength(1));
  const [pid = 0] = await starts("a");
  child.kill("SIGKILL");
  await eventually(() => expect(isAlive(pid)).toBe(false));
});
