import { worldName } from "../a11y/run-engines.ts";
import type { Session } from "./devtools.ts";
import { type ExposedFunction, pageSide } from "./page-side.ts";

/**
 * Our isolated world in a page: it shares the page's elements but none of its scripts. The engines
 * are in it, too, because each world costs as much as a small page.
 */
export interface World {
  /** Calls one of the functions in page-side/ with plain arguments. */
  call<T>(name: ExposedFunction, ...args: readonly unknown[]): Promise<T>;
  /** The browser's ID for it in the current page. */
  name(): Promise<{ uniqueContextId: string }>;
  /** Call before the next page, which gets a new world. */
  renew(): void;
}

/** Adds the world to each page of a tab, before the page's own code runs. */
export async function openWorld(session: Session, frameId: string): Promise<World> {
  let world = Promise.withResolvers<string>();
  session.on("Runtime.executionContextCreated", ({ context }) => {
    if (context.name !== worldName || context.auxData?.["frameId"] !== frameId) return;
    // If a page redirects, only the last one counts.
    world.resolve(context.uniqueId);
    world = { ...world, promise: Promise.resolve(context.uniqueId) };
  });
  await session.send("Page.addScriptToEvaluateOnNewDocument", {
    worldName,
    source: pageSide,
  });
  return {
    async call<T>(name: ExposedFunction, ...args: readonly unknown[]): Promise<T> {
      const list = args.map((arg) => JSON.stringify(arg)).join(", ");
      const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
        expression: `vitrine.${name}(${list})`,
        uniqueContextId: await world.promise,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails) {
        const { exception, text } = exceptionDetails;
        throw new Error(`${name}: ${exception?.description ?? text}`);
      }
      return result.value as T;
    },
    name: async () => ({ uniqueContextId: await world.promise }),
    renew() {
      world = Promise.withResolvers<string>();
    },
  };
}
