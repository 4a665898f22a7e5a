import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
  removeComments: true,
};

/** Imports of the QA engine's modules by its name. */
const engineImport = /(["'])(vitrine-qa\/src\/[^"']+)\.ts\1/g;

const isTest = /\.(?:test|fixture)\.ts$/;

/**
 * Compiles the modules below `from`, file by file, to the same paths below `to`. Other files are
 * copied; tests and typings are left out. Types aren't checked.
 */
export function compileFolder(from: string, to: string): void {
  const entries = globSync("**/*", { cwd: from, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || isTest.test(entry.name) || entry.name.endsWith(".d.ts")) continue;
    const source = join(entry.parentPath, entry.name);
    const target = join(to, source.slice(from.length));
    mkdirSync(dirname(target), { recursive: true });
    if (!entry.name.endsWith(".ts")) {
      cpSync(source, target);
      continue;
    }
    const { outputText } = ts.transpileModule(readFileSync(source, "utf8"), {
      compilerOptions: options,
      fileName: source,
    });
    const text = outputText.replace(engineImport, "$1$2.js$1");
    writeFileSync(target.replace(/\.ts$/, ".js"), text);
  }
}
