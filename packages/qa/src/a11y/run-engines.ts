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

/** The page and its frames of the same origin, at most 8. */
function framesOf({ frame, childFrames = [] }: FrameTree, origin: string): string[] {
  const same = frame.securityOrigin === origin || frame.url === "about:srcdoc";
  if (!same) return [];
  return [frame.id, ...childFrames.flatMap((child) => framesOf(child, origin))].slice(0, 8);
}

/** The isolated world that engines run in. */
export const worldName = "vitrine";

/**
 * Injects the engines into every page that a tab opens from now on, in an isolated world: they are
 * sent once and compiled once per process of the tab.
 */
export async function installEngines(session: Session): Promise<void> {
  const source = `globalThis.__vitrineEngines = () => {${bundleText()}}`;
  await session.send("Page.addScriptToEvaluateOnNewDocument", { worldName, source });
}

/** Initializes the engines, unless that was done while waiting for the page. */
const startExpression = "globalThis.__vitrine ?? globalThis.__vitrineEngines?.()";

/** The browser's ID of a frame's world. */
export type WorldName = { uniqueContextId: string } | { contextId: number };

/** The engines' world in a frame, isolated from the page's scripts. */
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
  // A page opened before the injection, or a frame that was never loaded, lacks them.
  const collected = (await ask(startExpression)) ?? (await ask(bundleText()));
  if (!collected) throw new Error("The accessibility engines didn't respond.");
  return collected;
}

/** The options everywhere except in measurements. */
export const defaultCollectOptions: Omit<CollectOptions, "inFrame"> = {
  axeOff: disabledAxeRules,
  axeOn: enabledAxeRules,
  accesslintOff: disabledAccesslintRules,
  accesslintAaa: false,
  ownOff: [],
  axeChecks: enhancedContrast,
  bothContrasts: true,
  vetoes: true,
};

/**
 * The engines' results for a page and for each of its own frames. `main` is the engines' world in
 * the page, if known.
 */
export async function collectFrom(
  session: Session,
  options: Omit<CollectOptions, "inFrame"> = defaultCollectOptions,
  main?: WorldName,
): Promise<Collected[]> {
  const whole = { ...options, inFrame: false };
  // Started immediately, because the page is checked first anyway.
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
 * Checks the page in a tab, and its own frames, with all engines. Changes nothing in the page
 * except the focus for a moment. Rejects if the page disappears.
 */
export async function checkAccessibility(session: Session, main?: WorldName): Promise<A11yResult> {
  const collected = await collectFrom(session, defaultCollectOptions, main);
  return {
    environment: "chromium",
    engines: engineNames,
    issues: collected.flatMap((one, index) => {
      const issues = mergeIssues(one);
      for (const issue of index > 0 ? issues : []) issue.inFrame = true;
      return issues;
    }),
    notChecked: collected.flatMap(({ failures }) =>
      failures.map((failure) => `a11y.axe: ${failure}`),
    ),
  };
}
