import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeBinary, platformRoot } from "../src/platform/paths.ts";
import { systemTools } from "../src/platform/system-tools.ts";
import { ensureConsole } from "./console-build.ts";
import { ensureTools } from "./tools.ts";

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  success: boolean;
}

/** Runs the tests; arguments go to Vitest. The last line is the count, `N passed, N failed`. */
async function main(): Promise<number> {
  const missing = await ensureTools(systemTools);
  if (missing.length > 0) return 1;
  ensureConsole();
  const folder = mkdtempSync(join(tmpdir(), "vitrine-test-"));
  const report = join(folder, "report.json");
  try {
    const args = [
      join(platformRoot, "node_modules/vitest/vitest.mjs"),
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...process.argv.slice(2),
    ];
    // Most of what a test's processes do at their start is compiling the same sources again.
    const env = {
      ...process.env,
      NODE_COMPILE_CACHE: join(folder, "compile-cache"),
      TEST_SHELF: join(folder, "shelf"),
    };
    const run = spawnSync(nodeBinary, args, { cwd: platformRoot, stdio: "inherit", env });
    const { numPassedTests, numFailedTests, numPendingTests, success } = JSON.parse(
      readFileSync(report, "utf8"),
    ) as Report;
    if (numPendingTests > 0) console.error(`${numPendingTests} tests were skipped.`);
    console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
    return run.status === 0 && success && numPendingTests === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
