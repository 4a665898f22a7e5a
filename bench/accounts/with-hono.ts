import { registerHooks } from "node:module";

const mark = "?hono";
const own = "/packages/server/src/kit/html.ts";

/**
 * Loads the modules of the account's pages once more, on hono's template: what is imported with
 * `?hono`, and what that imports, gets `hono-html.ts` in place of `kit/html.ts`.
 */
export function registerHono(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      if (!context.parentURL?.endsWith(mark) && !specifier.endsWith(mark)) return found;
      if (found.url.endsWith(own))
        return { ...found, url: new URL("hono-html.ts", import.meta.url).href };
      const isOurs = found.url.startsWith("file:") && !found.url.includes("/node_modules/");
      return isOurs && !found.url.endsWith(mark) ? { ...found, url: found.url + mark } : found;
    },
  });
}
