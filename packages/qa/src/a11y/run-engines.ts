import type { Session } from "../browser/devtools.ts";
import type { A11yResult } from "../browser/visit.ts";
import { bundleText } from "./bundle.ts";
import type { Collected, CollectOptions } from "./raw.ts";
import { mergeIssues } from "./merge.ts";
import { engineNames } from "./rulebook.ts";
import {
  disabledAccesslintRules,
  disabledAxeRules,
  enabledAxeRules,
  enhancedContrast,
  pageRules,
} from "./rule-trust.ts";

interface FrameTree {
  frame: { id: string; url: string; securityOrigin: string };
  childFrames?: FrameTree[];
}

/** The page itself and the frames in it that are of the same origin, at most 8. */
function framesOf({ frame, childFrames = [] }: FrameTree, origin: string): string[] {
  const same = frame.securityOrigin === origin || frame.url === "about:srcdoc";
  if (!same) return [];
  return [frame.id, ...childFrames.flatMap((child) => framesOf(child, origin))].slice(0, 8);
}

/** The world that engines run in. */
export const worldName = "vitrine";

/**
 * Gives every page that a tab opens from now on the engines, in a world of their own: they are brought
 * there once, and compiled once for as long as the browser keeps the tab's process.
 */
export async function installEngines(session: Session): Promise<void> {
  const source = `globalThis.__vitrineEngines = () => {${bundleText()}}`;
  await session.send("Page.addScriptToEvaluateOnNewDocument", { worldName, source });
}

/** Makes the engines ready, where that has not been done while the page was waited for. */
const startExpression = "globalThis.__vitrine ?? globalThis.__vitrineEngines?.()";

/** The world of a frame, by what the browser calls it. */
export type WorldName = { uniqueContextId: string } | { contextId: number };

/** The engines' world in a frame: the page's scripts neither see nor disturb them. */
async function worldOf(session: Session, frameId: string): Promise<WorldName> {
  const world = { frameId, worldName };
  const made = await session.send("Page.createIsolatedWorld", world);
  return { contextId: made.executionContextId };
}

async function collectIn(
  session: Session,
  world: WorldName,
  options: CollectOptions,
): Promise<Collected> {
  const ask = async (engines: string): Promise<Collected | undefined> => {
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
      expression: `${engines};globalThis.__vitrine?.(${JSON.stringify(options)})`,
      ...world,
      awaitPromise: true,
      returnByValue: true,
      timeout: 20_000,
    });
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value as Collected | undefined;
  };
  // A page that was there before they were brought, or a frame that was never loaded, lacks them.
  const collected = (await ask(startExpression)) ?? (await ask(bundleText()));
  if (!collected) throw new Error("The accessibility engines didn't respond.");
  return collected;
}

/** How the engines are asked everywhere but in measurements. */
export const defaultCollectOptions: Omit<CollectOptions, "inFrame"> = {
  axeOff: disabledAxeRules,
  axeOn: enabledAxeRules,
  accesslintOff: disabledAccesslintRules,
  accesslintAaa: false,
  ownOff: [],
  axeChecks: enhancedContrast,
  bothContrasts: true,
};

/**
 * What the engines say of a page and of the frames of its own in it, each by itself. `main` is the
 * engines' world in the page itself, where it is known.
 */
export async function collectFrom(
  session: Session,
  options: Omit<CollectOptions, "inFrame"> = defaultCollectOptions,
  main?: WorldName,
): Promise<Collected[]> {
  const whole = { ...options, inFrame: false };
  // Asked at once: the page is asked first anyway.
  const early = main && collectIn(session, main, whole);
  early?.catch(() => {});
  const { frameTree } = await session.send("Page.getFrameTree");
  const [page = "", ...frames] = framesOf(frameTree, frameTree.frame.securityOrigin);
  const collected = [await (early ?? collectIn(session, await worldOf(session, page), whole))];
  const part = { ...options, axeOff: [...options.axeOff, ...pageRules], inFrame: true };
  for (const id of frames) {
    collected.push(await collectIn(session, await worldOf(session, id), part));
  }
  return collected;
}

/**
 * Looks at the page that a tab shows, and at the frames of its own in it, with every engine.
 * It changes nothing in the page but where the focus is for a moment. Rejects when the page goes away meanwhile.
 */
export async function checkAccessibility(session: Session, main?: WorldName): Promise<A11yResult> {
  const collected = await collectFrom(session, defaultCollectOptions, main);
  return {
    environment: "chromium",
    engines: engineNames,
    issues: collected.flatMap(mergeIssues),
    notChecked: collected.flatMap(({ failures }) =>
      failures.map((failure) => `a11y.axe: ${failure}`),
    ),
  };
}
