import { benchTools, systemTools } from "../packages/server/src/platform/system-tools.ts";
import { ensureTools } from "./tools.ts";

/**
 * `node scripts/system-tools.ts [--test] [--bench]`: installs, or names, what an instance needs, with
 * `--test` what the tests need as well, with `--bench` what `npm run bench` needs.
 */
const isForBench = process.argv.includes("--bench");
const all = isForBench || process.argv.includes("--test");
const wanted = systemTools.filter((tool) => all || tool.need === "start");
const left = await ensureTools([...wanted, ...(isForBench ? benchTools : [])]);
process.exitCode = left.length > 0 ? 1 : 0;
