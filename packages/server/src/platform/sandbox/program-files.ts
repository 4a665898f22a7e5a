import { existsSync } from "node:fs";
import { join } from "node:path";
import { findOutsidePackages } from "../native-packages.ts";
import { nodeBinary, platformRoot } from "../paths.ts";
import type { Binding } from "./bubblewrap.ts";

/** Where the program is in a sandbox with a mount namespace. */
export const programFolder = "/platform";

/** Where packages are that the program's own node_modules doesn't contain. */
const outsideFolder = "/outside";

const folders = ["package.json", "packages/server/package.json", "packages/server/src"];

/** Node as `/node` and the program's own files below `/platform`, for programs that are part of it. */
export function programBindings(): Binding[] {
  return [
    { from: nodeBinary, to: "/node" },
    ...folders.map((name) => ({ from: join(platformRoot, name), to: join(programFolder, name) })),
    { from: join(platformRoot, "node_modules"), to: "/node_modules" },
    ...findOutsidePackages().map(({ name, dir }) => ({
      from: dir,
      to: `${outsideFolder}/${name}`,
    })),
  ];
}

/** What Node needs in the environment to find the packages of `programBindings`. */
export function programEnvironment(): Record<string, string> {
  return findOutsidePackages().length > 0 ? { NODE_PATH: outsideFolder } : {};
}

/** Node and the program's own files at their own places, for a sandbox without a mount namespace. */
export function programFiles(): string[] {
  return [
    nodeBinary,
    ...[...folders, "node_modules"].map((name) => join(platformRoot, name)),
    ...findOutsidePackages().map(({ dir }) => dir),
  ].filter((path) => existsSync(path));
}
