import { readFileSync } from "node:fs";
import { join } from "node:path";
import { platformRoot } from "./paths.ts";

/** The program's version, from package.json. */
export function programVersion(): string {
  const text = readFileSync(join(platformRoot, "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
