import { spawnSync } from "node:child_process";
import { platformRoot } from "../src/platform/paths.ts";

/** The scripts of package.json that are checked, in order; the first that fails ends it. */
const steps = [
  ["format", "--", "--check"],
  ["lint"],
  ["types"],
  ["imports"],
  ["unused"],
  ["cases"],
  ["build"],
  ["test"],
];

/** `--no-tests` leaves the last out. */
const wanted = process.argv.includes("--no-tests") ? steps.slice(0, -1) : steps;
for (const [name = "", ...args] of wanted) {
  console.error(`— ${name}`);
  const npm = ["run", "--silent", name, ...args];
  const step = spawnSync("npm", npm, { cwd: platformRoot, stdio: "inherit" });
  if (step.status !== 0) {
    console.error(`${name}: failed`);
    process.exit(1);
  }
}
