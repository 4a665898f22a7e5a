import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "vite";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { tempFolder } from "./temp.ts";

/** A test program as one file. */
export interface Bundle {
  file: string;
  /** Additional environment of its processes, so that they cache compiled code. */
  env: Record<string, string>;
  remove(): Promise<void>;
}

/** Lets code in a bundle locate files relative to its source; code that it writes says `url: …`. */
const sourceLocations: Plugin = {
  name: "source-locations",
  transform: {
    filter: { id: /^\/[^?]*\.ts$/, code: "import.meta." },
    handler(code, id) {
      const own = { dirname: dirname(id), filename: id, url: pathToFileURL(id).href };
      return code.replaceAll(
        /(?<!: )\bimport\.meta\.(dirname|filename|url)\b/g,
        (_, name: string) => JSON.stringify(own[name as keyof typeof own]),
      );
    },
  },
};

/**
 * Bundles a program below test/support with all its imports into one file, because processes that
 * import it start in a quarter of the time, and tests start hundreds of them.
 */
export async function bundleProgram(program: string): Promise<Bundle> {
  const folder = await tempFolder();
  await build({
    configFile: false,
    logLevel: "error",
    root: platformRoot,
    plugins: [sourceLocations],
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
