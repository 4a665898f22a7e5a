import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../../../test/support/temp.ts";
import { openBackgroundDestination } from "./background-destination.ts";
import { acquireLock } from "./lock.ts";
import { openRotatingFile, rotatingDestination } from "./rotating-file.ts";

let folder: TempFolder;
let path: string;
beforeEach(async () => {
  folder = await tempFolder();
  path = join(folder.path, "logs/site.log");
});
afterEach(() => folder.remove());

const names = () => readdirSync(join(folder.path, "logs")).toSorted();
const textOf = (name: string) => readFileSync(join(folder.path, "logs", name), "utf8");
const modeOf = (file: string) => statSync(file).mode & 0o777;

/** All lines, the oldest first. */
function allLines(): string[] {
  const oldestFirst = names().toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
  return oldestFirst.flatMap((name) => textOf(name).split("\n").filter(Boolean));
}

test("keeps so many files of about so many bytes, the newest lines, for the owner only", () => {
  const destination = rotatingDestination({ path, maxBytes: 1000, files: 3 });
  for (let at = 0; at < 100; at += 1) destination.write(`${at} ${"x".repeat(95)}\n`);
  expect(names()).toEqual(["site.log", "site.log.1", "site.log.2"]);
  expect(names().map((name) => textOf(name).length < 1100)).toEqual([true, true, true]);
  const numbers = allLines().map((line) => Number.parseInt(line, 10));
  expect(numbers.at(-1)).toBe(99);
  expect(numbers).toEqual(numbers.map((_, at) => 100 - numbers.length + at));
  expect(names().map((name) => modeOf(join(folder.path, "logs", name)))).toEqual([
    0o600, 0o600, 0o600,
  ]);
  expect(modeOf(join(folder.path, "logs"))).toBe(0o700);
});

test("goes on in a new file after the old one has been moved or deleted by somebody else", () => {
  const destination = rotatingDestination({ path, maxBytes: 1000, files: 2 });
  destination.write("one\n");
  rmSync(join(folder.path, "logs"), { recursive: true });
  destination.write("two\n");
  expect(textOf("site.log")).toBe("two\n");
});

test("while another process is putting files aside, lines are still written", () => {
  const file = openRotatingFile({ path, maxBytes: 10, files: 2 });
  const destination = rotatingDestination({ path, maxBytes: 10, files: 2 });
  file.descriptor();
  const lock = acquireLock(`${path}.lock`);
  for (const line of ["first line\n", "second\n"]) destination.write(line);
  expect(textOf("site.log")).toBe("first line\nsecond\n");
  lock?.release();
  destination.write("third\n");
  expect([textOf("site.log.1"), textOf("site.log")]).toEqual(["first line\nsecond\n", "third\n"]);
});

test("a rotation that was killed half-way is completed by the next", () => {
  const destination = rotatingDestination({ path, maxBytes: 4, files: 4 });
  destination.write("aaaa\n");
  // Its files were moved except the first two.
  writeFileSync(`${path}.2`, "older\n");
  destination.write("bbbb\n");
  expect(allLines()).toEqual(["older", "aaaa", "bbbb"]);
});

test("a log in the background rotates, too, and has every line in its order", async () => {
  const { descriptor } = openRotatingFile({ path, maxBytes: 100_000, files: 100 });
  const destination = openBackgroundDestination({ descriptor });
  const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at} ${"x".repeat(150)} ü`);
  for (const line of lines) destination.write(`${line}\n`);
  await destination.close();
  expect(allLines()).toEqual(lines);
  // However much has come at once, a file gets little more than its bound.
  const sizes = names().map((name) => statSync(join(folder.path, "logs", name)).size);
  expect(sizes.length).toBeGreaterThan(8);
  expect(Math.max(...sizes)).toBeLessThan(100_000 + 300_000);
});

const module = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

test("four processes that rotate one log and are killed lose no line they have written", async () => {
  const options = JSON.stringify({ path, maxBytes: 50_000, files: 100 });
  const body = (name: number) => `
    import { rotatingDestination } from ${module("rotating-file.ts")};
    const destination = rotatingDestination(${options});
    for (let at = 0; ; at += 1) {
      destination.write(\`${name} \${at} \${"x".repeat(80)}\\n\`);
      process.stdout.write(at + "\\n");
      if (at % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }`;
  const writers = [0, 1, 2, 3].map((name) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", body(name)]);
    let told = "";
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    child.stdout.on("data", (chunk: Buffer) => {
      told += chunk.toString();
      if (told.length > 10_000) resolve();
    });
    return { child, enough, last: () => Number(told.split("\n").at(-2)) };
  });
  await Promise.all(writers.map(({ enough }) => enough));
  for (const { child } of writers) child.kill("SIGKILL");
  await Promise.all(writers.map(({ child }) => once(child, "close")));
  const found = allLines().map((line) => line.split(" ").slice(0, 2).map(Number));
  for (const [name, { last }] of writers.entries()) {
    const own = found.filter(([writer]) => writer === name).map(([, at]) => at);
    expect(new Set(own).size).toBe(own.length);
    expect(own.length).toBeGreaterThan(last());
  }
  expect(names().length).toBeGreaterThan(4);
}, 30_000);
