import { enableCompileCache } from "node:module";
import { instancePaths } from "../platform/paths.ts";
import { openCompileCache } from "./compile-cache.ts";
import { handOver } from "./hand-over.ts";

/** The command line's instance, before anything that could read the arguments is loaded. */
function instanceFolder(args: readonly string[], env: NodeJS.ProcessEnv): string {
  const at = args.findIndex((argument) => argument === "--dir" || argument.startsWith("--dir="));
  const given = args[at] === "--dir" ? args[at + 1] : args[at]?.slice("--dir=".length);
  return given || env["VITRINE_DIR"] || "instance";
}

const args = process.argv.slice(2);
const paths = instancePaths(instanceFolder(args, process.env));
await handOver(paths, args, { isStart: args.includes("start") });
if (process.env["NODE_COMPILE_CACHE"] === undefined) {
  const folder = openCompileCache(paths);
  if (folder !== null) enableCompileCache(folder);
}
// Only modules that are loaded from here on are cached.
const { runCommand } = await import("./cli.ts");
process.exitCode = await runCommand(args, process.env, process);
