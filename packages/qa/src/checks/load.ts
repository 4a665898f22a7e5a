import { readdirSync } from "node:fs";
import type { BrowserCheck, Check, CheckKind, SiteCheck } from "../check.ts";

interface Kinds {
  page: Check;
  site: SiteCheck;
  browser: BrowserCheck;
}

function isCheck(value: unknown): value is CheckKind & { run: unknown } {
  const { id, run } = (value ?? {}) as { id?: unknown; run?: unknown };
  return typeof id === "string" && typeof run === "function";
}

/**
 * Loads the checks of a kind: all exports of the files in its folder. To add a check, add a file
 * there, with its fixture next to it.
 */
export async function loadChecks<K extends keyof Kinds>(kind: K): Promise<readonly Kinds[K][]> {
  const folder = new URL(`./${kind}/`, import.meta.url);
  // JavaScript in the published package.
  const names = readdirSync(folder).filter((name) => /^[\w-]+\.[tj]s$/.test(name));
  const modules = await Promise.all(
    names.toSorted().map((name) => import(new URL(name, folder).href) as Promise<object>),
  );
  return modules.flatMap((module) =>
    Object.values(module).filter(isCheck),
  ) as unknown as Kinds[K][];
}
