import { join } from "node:path";
import { build } from "vite";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { tempFolder } from "./temp.ts";

/** A program of the tests as one file. */
export interface Bundle {
  file: string;
  /** What its processes get besides their environment: they keep what they compile. */
  env: Record<string, string>;
  remove(): Promise<void>;
}

/**
 * Makes one file of a program below test/support and all that it imports: where hundreds of processes
 * start, each takes a quarter of the time. What finds files by the place of its source finds none.
 */
export async function bundleProgram(program: string): Promise<Bundle> {
  const folder = await tempFolder();
  await build({
    configFile: false,
    logLevel: "error",
    root: platformRoot,
    ssr: { noExternal: true, external: ["pg-native"] },
    build: {
      ssr: join(platformRoot, "test/support", program),
      outDir: folder.path,
      target: "node24",
      minify: false,
      rolldownOptions: { output: { entryFileNames: "program.mjs" } },
    },
  });
  return {
    file: join(folder.path, "program.mjs"),
    env: { NODE_COMPILE_CACHE: join(folder.path, "compiled") },
    remove: () => folder.remove(),
  };
}
