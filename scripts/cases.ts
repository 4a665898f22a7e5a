/**
 * Compares the table of all numbered cases in docs/security.md with the tests whose titles carry the
 * numbers, and with the code that it names:
 *
 *   npm run cases [-- --write]     --write fills in the column "Tests" and adds missing rows
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { platformRoot } from "../packages/server/src/platform/paths.ts";
import { casesIn, fillIn, indexTests, problemsOf } from "./cases/cases.ts";

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

const isThere = (path: string) =>
  existsSync(join(platformRoot, "packages/server/src", path)) ||
  existsSync(join(platformRoot, path));

const index = indexTests(testSources());
let text = readFileSync(document, "utf8");
if (process.argv.includes("--write")) {
  text = fillIn(text, index);
  writeFileSync(document, text);
}
const problems = problemsOf(casesIn(text), index, isThere);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
