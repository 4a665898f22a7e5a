import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp.ts";
import { findTestNeeds } from "./test-needs.ts";

const files: Record<string, string> = {
  "src/pure.ts": "export const one = 1;",
  "src/pure.test.ts": `import { one } from "./pure.ts";\nimport type { Child } from "./git.ts";`,
  "src/git.ts": `import { spawn } from "node:child_process";\nexport type Child = 1;`,
  "src/git.test.ts": `import {\n  type Child,\n  git,\n} from "./door.ts";`,
  "src/door.ts": `export { git } from "./git.ts";`,
  "src/late.test.ts": `await import("./git.ts");`,
  "src/rows.test.ts": `import { startDialect } from "../test/support/postgres.ts";`,
  "src/page.test.ts": `import { chromium } from "playwright-core";`,
  "src/whole.test.ts": `import "../test/support/instance.ts";`,
  "test/support/postgres.ts": "",
  "test/support/instance.ts": "",
};

test("what a test needs is told by its imports, however far away", async () => {
  await using folder = await tempFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder.path, dirname(path)), { recursive: true });
    await writeFile(join(folder.path, path), text);
  }
  const needs = findTestNeeds(folder.path, ["src/**/*.test.ts"]);
  const named = [...needs].map(([file, all]) => {
    const names = Object.entries(all).flatMap(([name, has]) => (has ? [name] : []));
    return [file.slice(4, -8), ...names].join(" ");
  });
  expect(named.toSorted()).toEqual([
    "git programs",
    "late programs",
    "page programs browser",
    "pure",
    "rows programs postgres",
    "whole programs instance",
  ]);
});
