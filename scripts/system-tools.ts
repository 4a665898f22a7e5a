import { systemTools } from "../packages/server/src/platform/system-tools.ts";
import { ensureTools } from "./tools.ts";

/** `node scripts/system-tools.ts [--test]`: installs, or names, what an instance or the tests need. */
const all = process.argv.includes("--test");
const left = await ensureTools(systemTools.filter((tool) => all || tool.need === "start"));
process.exitCode = left.length > 0 ? 1 : 0;
