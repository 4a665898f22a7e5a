import { registerHooks } from "node:module";

const mark = "?hono";
const own = "/packages/server/src/kit/html.ts";

/**
 * Loads the account page modules a second time, with hono's template: whatever is imported with
 * `?hono`, directly or indirectly, gets `hono-html.ts` instead of `kit/html.ts`.
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
