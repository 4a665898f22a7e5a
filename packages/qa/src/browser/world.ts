import { worldName } from "../a11y/run-engines.ts";
import type { Session } from "./devtools.ts";
import { type ExposedFunction, pageSide } from "./page-side.ts";

/**
 * A world of our own in a page: it shares the page's elements and nothing of its scripts. The engines are
 * in it, too: each world costs as much as a small page.
 */
export interface World {
  /** Calls one of the functions of page-side/ with plain arguments. */
  call<T>(name: ExposedFunction, ...args: readonly unknown[]): Promise<T>;
  /** What the browser calls it in the page that is shown. */
  name(): Promise<{ uniqueContextId: string }>;
  /** The next page gets a new one. */
  renew(): void;
}

/** Makes each page of a tab have the world, before anything of the page runs. */
export async function openWorld(session: Session, frameId: string): Promise<World> {
  let world = Promise.withResolvers<string>();
  session.on("Runtime.executionContextCreated", ({ context }) => {
    if (context.name !== worldName || context.auxData?.["frameId"] !== frameId) return;
    // Only the last one counts, where a page leads on to another.
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
