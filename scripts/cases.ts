/**
 * Compares what documents name with what is there: the table of all numbered cases in docs/security.md
 * with the tests whose titles carry the numbers and with its code, the rows of docs/spec-coverage.md
 * with their code and tests, and SECURITY.md with the files that it names.
 *
 *   npm run cases [-- --write]     --write fills in the column "Tests" and adds missing rows
 */
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { platformRoot } from "../packages/server/src/platform/paths.ts";
import { casesIn, fillIn, indexTests, problemsOf } from "./cases/cases.ts";
import { findCoverageProblems, readCodePaths, readStatements } from "./cases/coverage.ts";

const roots = ["packages/server/src", "packages/qa/src", "test", "packages/console/src", "scripts"];
const document = join(platformRoot, "docs/security.md");

function testSources(): Map<string, string> {
  const paths = roots.flatMap((root) =>
    readdirSync(join(platformRoot, root), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.test\.tsx?$/.test(entry.name))
      .map((entry) => relative(platformRoot, join(entry.parentPath, entry.name))),
  );
  return new Map(paths.map((path) => [path, readFileSync(join(platformRoot, path), "utf8")]));
}

/** A path may be relative to any of them. */
const folders = ["packages/server/src", "."].map((folder) => join(platformRoot, folder));
const isThere = (path: string) => folders.some((folder) => existsSync(join(folder, path)));
const find = (path: string) => folders.flatMap((cwd) => globSync(path, { cwd }));
const read = (path: string) => readFileSync(join(platformRoot, path), "utf8");

const index = indexTests(testSources());
let text = readFileSync(document, "utf8");
if (process.argv.includes("--write")) {
  text = fillIn(text, index);
  writeFileSync(document, text);
}
const problems = [
  ...problemsOf(casesIn(text), index, isThere),
  ...findCoverageProblems(readStatements(read("docs/spec-coverage.md")), { index, find }),
  ...readCodePaths(read("SECURITY.md"))
    .filter((path) => !isThere(path))
    .map((path) => `SECURITY.md names ${path}, which isn't there.`),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
