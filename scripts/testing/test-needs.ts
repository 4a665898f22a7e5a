import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** What a test file needs besides Node, according to its direct and indirect imports. */
export interface TestNeeds {
  /** System programs: git, bubblewrap, ffmpeg, or any other. */
  programs: boolean;
  browser: boolean;
  postgres: boolean;
  /** Web and runner as processes, or `vitrine` commands. */
  instance: boolean;
}

/** An import or re-export with its module's name; one of only types loads nothing. */
const importing =
  /(?:^|\n)\s*(?:import|export)\s+(?!type\b)(?:[^"';]*?\sfrom\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"/g;

/** Its modules are imported by the package's name. */
const qaPackage = resolve(import.meta.dirname, "../../packages/qa");

function readImports(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(importing)].map(([, named, dynamic]) => {
    const name = named ?? dynamic ?? "";
    if (name.startsWith("vitrine-qa/")) return join(qaPackage, name.slice("vitrine-qa/".length));
    return name.startsWith(".") ? resolve(dirname(file), name) : name;
  });
}

/** Everything that a file imports: files by absolute path, packages by name. */
function allImports(file: string, known: Map<string, string[]>): Set<string> {
  const seen = new Set<string>();
  const waiting = [file];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (!/^\/.*\.tsx?$/.test(next) || !existsSync(next)) continue;
    const imports = known.get(next) ?? readImports(next);
    known.set(next, imports);
    waiting.push(...imports);
  }
  return seen;
}

/** What the test files that match one of the patterns need, by path relative to `root`. */
export function findTestNeeds(root: string, patterns: readonly string[]): Map<string, TestNeeds> {
  const known = new Map<string, string[]>();
  const files = globSync([...patterns], { cwd: root }).toSorted();
  return new Map(
    files.map((file) => {
      const imports = [...allImports(join(root, file), known)];
      const has = (end: string) => imports.some((one) => one.endsWith(end));
      const browser = has("playwright-core");
      const postgres = has("/support/postgres.ts");
      const instance = has("/support/instance.ts");
      const programs = browser || postgres || instance || has("node:child_process");
      return [file, { programs, browser, postgres, instance }];
    }),
  );
}
