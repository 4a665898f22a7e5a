import { cp } from "node:fs/promises";
import { afterAll } from "vitest";
import { type TempFolder, tempFolder } from "../temp.ts";
import { installInstance } from "./publish-instance.ts";

let sample: Promise<TempFolder> | undefined;

async function makeSample(): Promise<TempFolder> {
  const folder = await tempFolder();
  await installInstance(folder.path);
  return folder;
}

afterAll(async () => {
  await (await sample)?.remove();
  sample = undefined;
});

/** Creates the sample instance by copying one that is installed once per test file. */
export async function copyInstance(dir: string): Promise<void> {
  sample ??= makeSample();
  await cp((await sample).path, dir, { recursive: true, verbatimSymlinks: true });
}
