import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { minifySync, transformSync } from "rolldown/utils";

/** As tsconfig.json has it, and `.ts` in imports becomes `.js`. */
const compilerOptions = {
  target: "esnext",
  typescript: { onlyRemoveTypeImports: true, rewriteImportExtensions: "rewrite" },
} as const;

/** Removes comments and nothing else. */
const withoutComments = {
  compress: false,
  mangle: false,
  codegen: { removeWhitespace: false, legalComments: "none" },
} as const;

const isTest = /\.(?:test|fixture)\.ts$/;

function compile(file: string): string {
  // Rolldown replaces a tagged template that contains `</script` by the call of a helper.
  const source = readFileSync(file, "utf8").replaceAll("</script", "<\\/script");
  const compiled = transformSync(file, source, compilerOptions);
  const cleaned = minifySync(file, compiled.code, withoutComments);
  const errors = [...compiled.errors, ...cleaned.errors].map(({ message }) => message);
  errors.push(...Object.values(compiled.helpersUsed).map((name) => `${name} isn't in the package`));
  if (errors.length > 0) throw new Error(`${file} doesn't compile: ${errors.join("; ")}`);
  return cleaned.code;
}

/**
 * Compiles the modules below `from`, file by file, to the same paths below `to`. Other files are
 * copied; tests, typings, and modules that `isKept` doesn't want are left out. Types aren't checked.
 */
export function compileFolder(
  from: string,
  to: string,
  isKept: (file: string) => boolean = () => true,
): void {
  const entries = globSync("**/*", { cwd: from, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || isTest.test(entry.name) || entry.name.endsWith(".d.ts")) continue;
    const source = join(entry.parentPath, entry.name);
    if (entry.name.endsWith(".ts") && !isKept(source)) continue;
    const target = join(to, source.slice(from.length));
    mkdirSync(dirname(target), { recursive: true });
    if (!entry.name.endsWith(".ts")) {
      cpSync(source, target);
      continue;
    }
    writeFileSync(target.replace(/\.ts$/, ".js"), compile(source));
  }
}
