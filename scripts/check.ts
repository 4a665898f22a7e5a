import { spawnSync } from "node:child_process";
import { platformRoot } from "../packages/server/src/platform/paths.ts";

/** The scripts of package.json to run, in order; stops at the first that fails. */
const steps = [
  ["format", "--", "--check"],
  ["lint"],
  ["types"],
  ["imports"],
  ["unused"],
  ["cases"],
  ["call-paths"],
  ["words"],
  ["build"],
  ["test"],
];

/** `--no-build` and `--no-tests` leave these out. */
const isWanted = (name: string) =>
  !process.argv.includes(name === "test" ? "--no-tests" : `--no-${name}`);
for (const [name = "", ...args] of steps.filter(([step = ""]) => isWanted(step))) {
  console.error(`— ${name}`);
  const npm = ["run", "--silent", name, ...args];
  const step = spawnSync("npm", npm, { cwd: platformRoot, stdio: "inherit" });
  if (step.status !== 0) {
    console.error(`${name}: failed`);
    process.exit(1);
  }
}
