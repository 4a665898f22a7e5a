/**
 * Turns the changesets into the next version: all packages and the repository share one version and
 * one changelog.
 *
 *   npm run release
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { platformRoot } from "../packages/server/src/platform/paths.ts";
import { newEntries, releaseChangelog } from "./release/changelog.ts";

const options = { cwd: platformRoot, stdio: "inherit" } as const;
const read = (path: string) => readFileSync(join(platformRoot, path), "utf8");
const versionOf = (path: string) => (JSON.parse(read(path)) as { version: string }).version;

execFileSync("npx", ["changeset", "version"], options);
const version = versionOf("packages/server/package.json");
if (version === versionOf("package.json")) {
  console.log("There is no changeset to release.");
} else {
  const changelogs = readdirSync(join(platformRoot, "packages"))
    .map((name) => join("packages", name, "CHANGELOG.md"))
    .filter((path) => readdirSync(join(platformRoot, path, "..")).includes("CHANGELOG.md"));
  const entries = changelogs.flatMap((path) => newEntries(read(path)));
  const date = new Date().toISOString().slice(0, 10);
  const changelog = releaseChangelog(read("CHANGELOG.md"), { version, date, entries });
  writeFileSync(join(platformRoot, "CHANGELOG.md"), changelog);
  for (const path of changelogs) rmSync(join(platformRoot, path));
  execFileSync("npm", ["pkg", "set", `version=${version}`], options);
  execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], options);
  console.log(`Version ${version}: look at the changes and commit them.`);
}
