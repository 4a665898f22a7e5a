import { builtinModules } from "node:module";
import type { Plugin } from "rolldown";
import { scan } from "rolldown/experimental";

const builtins = new Set(builtinModules);
const isModule = /\.(?:[cm]?[jt]s|json)$/;

/**
 * What Rolldown takes for something else: `require` as an argument (UMD) or made by `createRequire`,
 * and paths that are only looked for. What begins a name, as in `__require`, isn't matched: in a
 * module with long lines of data, a search for it takes half a minute.
 */
const requiredName =
  /(?:require[\w$]*|createRequire\([^()]*\)|meta)(?:\.resolve)?\(\s*["']([^"'\n]+)["']\s*\)/gi;

function traceInto(found: Set<string>): Plugin {
  return {
    name: "trace-imports",
    async resolveId(id, importer, options) {
      if (id.startsWith("node:") || builtins.has(id)) return { id, external: true };
      const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
      if (resolved === null || resolved.external) return { id, external: true };
      const [path = ""] = resolved.id.split("?");
      found.add(path);
      return isModule.test(path) ? resolved : { id: path, external: true };
    },
    transform: {
      filter: { code: /require\b|\bimport\.meta\.resolve\b/i },
      async handler(code, importer) {
        for (const [, name = ""] of code.matchAll(requiredName)) {
          if (name.startsWith("node:") || builtins.has(name)) continue;
          const resolved = await this.resolve(name, importer, { kind: "require-call" });
          if (resolved === null || resolved.external) continue;
          if (isModule.test(resolved.id)) this.emitFile({ type: "chunk", id: resolved.id });
        }
      },
    },
  };
}

/**
 * Finds all files that these modules import or require, directly or not, by any literal name. Names
 * that can't be resolved, such as those of optional packages, are left out.
 * @param entries paths, or names of packages that are installed in `root`
 * @param conditions of packages' exports, besides `import`, `require`, and `default`
 */
export async function traceImports(
  entries: readonly string[],
  root: string,
  conditions: readonly string[],
): Promise<Set<string>> {
  const found = new Set(entries);
  const cleanedUp = await scan({
    input: [...entries],
    cwd: root,
    platform: "node",
    logLevel: "silent",
    resolve: { conditionNames: [...conditions] },
    plugins: [traceInto(found)],
  });
  await cleanedUp;
  return found;
}
