import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { oneNodeTests, selectNodesTests } from "./nodes-mode.ts";

test("end-to-end tests run with several nodes unless they start no instance or are left out with a reason", () => {
  const chosen = ["records", "backup", "resume-letters"].map((name) => `test/e2e/${name}.test.ts`);
  const selected = selectNodesTests(platformRoot, (file) => chosen.includes(file));
  expect(selected).toEqual({
    run: [chosen[0]],
    leftOut: [{ file: chosen[1], reason: oneNodeTests["backup.test.ts"] }],
    withoutInstance: 1,
  });
  const missing = Object.keys(oneNodeTests).filter(
    (name) => !existsSync(join(platformRoot, "test/e2e", name)),
  );
  expect(missing).toEqual([]);
});
