import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  openInstance,
  type TestInstance,
} from "../../../../../test/support/publish/publish-instance.ts";
import { copyInstance } from "../../../../../test/support/publish/sample.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import type { Repository } from "../workspace/git.ts";
import { assertNoHandEdits } from "./hand-edits.ts";

const home = "app/src/pages/index.astro";

/** A repository that tells when git has answered for the first time. */
function watched(repository: Repository): { repository: Repository; answered: Promise<void> } {
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const git: Repository["git"] = async (...args) => {
    const result = await repository.git(...args);
    resolve();
    return result;
  };
  return { repository: { ...repository, git }, answered };
}

async function publish(instance: TestInstance): Promise<void> {
  const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
  await instance.publisher.publish(await instance.request(workspace));
}

test("what a publish of another process has not written yet is no edit by hand", async () => {
  await using folder = await tempFolder();
  await copyInstance(folder.path);
  const other = openInstance(folder.path);
  let checked: Promise<void> | undefined;
  const instance = openInstance(folder.path, {
    async onStep(step) {
      if (step !== "moved") return;
      const { repository, answered } = watched(other.repository);
      checked = assertNoHandEdits(repository, other.paths);
      checked.catch(() => {});
      await answered;
    },
  });
  await publish(instance);
  await checked;
  expect(checked).toBeDefined();
  await instance.close();
  await other.close();
});

test("edits by hand are named", async () => {
  await using folder = await tempFolder();
  await copyInstance(folder.path);
  const instance = openInstance(folder.path);
  await writeFile(join(instance.paths.content, home), "mine");
  await expect(assertNoHandEdits(instance.repository, instance.paths)).rejects.toMatchObject({
    code: "dirty_tree",
    details: { files: [home] },
  });
  await instance.close();
});
