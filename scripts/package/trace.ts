import { builtinModules } from "node:module";
import { scan } from "rolldown/experimental";

const builtins = new Set(builtinModules);
const isModule = /\.(?:[cm]?[jt]s|json)$/;

/**
 * Finds all files that these modules import or require, directly or not, by any literal name. Names
 * that can't be resolved, such as those of optional packages, are left out.
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
    plugins: [
      {
        name: "trace-imports",
        async resolveId(id, importer, resolveOptions) {
          if (id.startsWith("node:") || builtins.has(id)) return { id, external: true };
          const resolved = await this.resolve(id, importer, { ...resolveOptions, skipSelf: true });
          if (resolved === null || resolved.external) return { id, external: true };
          found.add(resolved.id.split("?")[0] ?? "");
          return isModule.test(resolved.id) ? resolved : { id: resolved.id, external: true };
        },
      },
    ],
  });
  await cleanedUp;
  return found;
}
