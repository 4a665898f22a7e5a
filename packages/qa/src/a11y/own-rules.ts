import { readdirSync } from "node:fs";
import type { OwnRule } from "./raw.ts";

const folder = new URL("./page-side/rules/", import.meta.url);

function isRule(value: unknown): value is OwnRule {
  const { id, act, run } = (value ?? {}) as Partial<OwnRule>;
  return typeof id === "string" && Array.isArray(act) && typeof run === "function";
}

const modules = await Promise.all(
  readdirSync(folder)
    .filter((name) => /^[\w-]+\.js$/.test(name))
    .toSorted()
    .map((name) => import(new URL(name, folder).href) as Promise<object>),
);

/** All rules in the folder page-side/rules/: to add a rule, add a file. */
export const ownRules: readonly OwnRule[] = modules.flatMap((module) =>
  Object.values(module).filter(isRule),
);
