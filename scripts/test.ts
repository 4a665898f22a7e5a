import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { platformRoot } from "../src/platform/paths.ts";
import { type SystemTool, systemTools } from "../src/platform/system-tools.ts";
import { ensureConsole } from "./console-build.ts";
import { runTests } from "./testing/run-tests.ts";
import { ensureTools } from "./tools.ts";

/** Chromium alone does for the tests, too, in half as much time again. */
const quickChromium: SystemTool = {
  name: "chromium-headless-shell",
  binaries: ["chromium-headless-shell"],
  package: "chromium-headless-shell",
  need: "test",
  about: "lets the tests end sooner",
};

/** How much memory has to be free for the tests' files to be kept in it, in bytes: several times what they take. */
const roomForFiles = 4 * 1024 ** 3;

/**
 * Where the tests keep their files: in memory where there is room for them, else on the disk. They make
 * and throw away small files all the time, which on a disk takes a third of the time of many tests.
 */
function filesFolder(): string {
  const memory = "/dev/shm";
  const mounts = existsSync("/proc/self/mounts") ? readFileSync("/proc/self/mounts", "utf8") : "";
  const [, , type, options] = (/^\S+ \/dev\/shm .*$/m.exec(mounts)?.[0] ?? "").split(" ");
  // Tests run programs that they have written.
  if (process.env["TMPDIR"] || type !== "tmpfs" || /\bnoexec\b/.test(options ?? ""))
    return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return Math.min(bavail * bsize, freemem()) > roomForFiles ? memory : tmpdir();
}

/** Ends the PostgreSQL that the tests have shared, if one needed it, and waits until it is gone. */
function endPostgres(shelf: string): void {
  const file = join(shelf, "postgres/data/postmaster.pid");
  if (!existsSync(file)) return;
  process.kill(Number(readFileSync(file, "utf8").split("\n")[0]), "SIGINT");
  const deadline = Date.now() + 10_000;
  while (existsSync(file) && Date.now() < deadline) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}

/**
 * Runs the tests; arguments go to Vitest. Files that fail are run once more, alone, at the end. The
 * last line is the count, `N passed, N failed`.
 */
async function main(): Promise<number> {
  const missing = await ensureTools(systemTools);
  if (missing.length > 0) return 1;
  await ensureTools([quickChromium]);
  ensureConsole();
  const folder = mkdtempSync(join(filesFolder(), "vitrine-test-"));
  const shelf = join(folder, "shelf");
  // PostgreSQL's own user has to find the way.
  chmodSync(folder, 0o755);
  try {
    // Most of what a test's processes do at their start is compiling the same sources again.
    const env = {
      ...process.env,
      NODE_COMPILE_CACHE: join(folder, "compile-cache"),
      TEST_SHELF: shelf,
      TMPDIR: folder,
    };
    const args = process.argv.slice(2);
    return runTests({ root: platformRoot, args, env, folder, print: console.log });
  } finally {
    endPostgres(shelf);
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
