import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join, relative } from "node:path";
import { platformRoot } from "./paths.ts";

/** A package outside the program's own node_modules. */
export interface OutsidePackage {
  name: string;
  dir: string;
}

/** The folder of an installed package, or null. */
function packageFolder(name: string): string | null {
  try {
    const file = findPackageJSON(name, join(platformRoot, "package.json"));
    return file === undefined ? null : dirname(file);
  } catch {
    return null;
  }
}

/**
 * The packages with machine code that npm installed next to the program instead of below it. The
 * published package contains all others; these depend on the machine, so npm chooses them. In the
 * repository there are none.
 */
export function findOutsidePackages(): OutsidePackage[] {
  const text = readFileSync(join(platformRoot, "package.json"), "utf8");
  const { optionalDependencies = {} } = JSON.parse(text) as {
    optionalDependencies?: Record<string, string>;
  };
  return Object.keys(optionalDependencies).flatMap((name) => {
    const dir = packageFolder(name);
    const isOutside = dir !== null && relative(platformRoot, dir).startsWith("..");
    return isOutside ? [{ name, dir }] : [];
  });
}
