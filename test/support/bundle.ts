import { join } from "node:path";
import { bundlePrograms, sourceLocation } from "../../scripts/package/bundle.ts";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { tempFolder } from "./temp.ts";

/** A test program as one file. */
export interface Bundle {
  file: string;
  /** Additional environment of its processes, so that they cache compiled code. */
  env: Record<string, string>;
  remove(): Promise<void>;
}

/**
 * Bundles a program below test/support with all its imports, because processes that import it start
 * in a quarter of the time, and tests start hundreds of them.
 */
export async function bundleProgram(program: string): Promise<Bundle> {
  const folder = await tempFolder();
  await bundlePrograms({
    programs: { program: join(platformRoot, "test/support", program) },
    to: folder.path,
    extension: ".mjs",
    locate: sourceLocation,
    nameExternal: (_name, file) => file,
  });
  return {
    file: join(folder.path, "program.mjs"),
    env: { NODE_COMPILE_CACHE: join(folder.path, "compiled") },
    remove: () => folder.remove(),
  };
}
