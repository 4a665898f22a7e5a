import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const { resolve } = createRequire(import.meta.resolve("@axe-core/playwright"));
const source = readFileSync(resolve("axe-core/axe.min.js"), "utf8");

/** A violated rule and its elements. */
export interface Violation {
  id: string;
  nodes: { html: string }[];
}

export interface AxeOptions {
  /** CSS selectors: only what is inside, and nothing of what is inside. */
  include?: string;
  exclude?: string;
  /** All rules by default. */
  rules?: readonly string[];
}

/**
 * The rules of axe that a page breaks; what it frames is not looked into. The builder of
 * @axe-core/playwright opens another page each time and carries there what was found to be right,
 * which costs several times as much.
 */
export async function axe(page: Page, options: AxeOptions = {}): Promise<Violation[]> {
  const { include, exclude, rules } = options;
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(source);
  const context = {
    include: [[include ?? "html"]],
    ...(exclude !== undefined && { exclude: [[exclude]] }),
  };
  const how = {
    resultTypes: ["violations"],
    iframes: false,
    ...(rules && { runOnly: { type: "rule", values: rules } }),
  };
  const call = `axe.run(${JSON.stringify(context)}, ${JSON.stringify(how)})`;
  return page.evaluate<Violation[]>(`${call}.then(({ violations }) => violations)`);
}
