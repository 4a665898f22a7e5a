import { cp } from "node:fs/promises";
import { join } from "node:path";
import { contentFolders } from "../../packages/server/src/features/workspace/content-paths.ts";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";

const templateDir = join(platformRoot, "packages/template");

/** Copies the content that `install` creates: the whole template except its package.json. */
export async function copyTemplate(to: string): Promise<void> {
  for (const folder of contentFolders) {
    await cp(join(templateDir, folder), join(to, folder), { recursive: true });
  }
}
