import type { Session } from "../browser/devtools.ts";
import type { A11yResult } from "../browser/visit.ts";
import { bundleText } from "./bundle.ts";
import type { Collected, CollectOptions } from "./raw.ts";
import { mergeIssues } from "./merge.ts";
import { engineNames } from "./rulebook.ts";
import { accesslintOff, axeOff, axeOn, enhancedContrast, pageRules } from "./standing.ts";

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

const worldName = "vitrine";

/**
 * Gives every page that a tab opens from now on the engines, in a world of their own: they are brought
 * there once, and compiled once for as long as the browser keeps the tab's process.
 */
export async function bringEngines(session: Session): Promise<void> {
  const source = `globalThis.__vitrineEngines = () => {${bundleText()}}`;
  await session.send("Page.addScriptToEvaluateOnNewDocument", { worldName, source });
}

const begun = "globalThis.__vitrine ?? globalThis.__vitrineEngines?.()";

/** Makes the engines ready in the page's main frame: work that can be done while a page is waited for. */
export async function beginEngines(session: Session, frameId: string): Promise<void> {
  const world = await session.send("Page.createIsolatedWorld", { frameId, worldName });
  const contextId = world.executionContextId;
  await session.send("Runtime.evaluate", { expression: `${begun};0`, contextId });
}

/** Runs the engines in a world of their own: the page's scripts neither see nor disturb them. */
async function collectIn(
  session: Session,
  frameId: string,
  options: CollectOptions,
): Promise<Collected> {
  const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", {
    frameId,
    worldName,
  });
  const ask = async (engines: string): Promise<Collected | undefined> => {
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
      expression: `${engines};globalThis.__vitrine?.(${JSON.stringify(options)})`,
      contextId,
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
  const collected = (await ask(begun)) ?? (await ask(bundleText()));
  if (!collected) throw new Error("The engines do not answer.");
  return collected;
}

/** How the engines are asked everywhere but in measurements. */
export const usual: Omit<CollectOptions, "inFrame"> = {
  axeOff,
  axeOn,
  accesslintOff,
  accesslintAaa: false,
  ownOff: [],
  axeChecks: enhancedContrast,
  bothContrasts: true,
};

/** What the engines say of a page and of the frames of its own in it, each by itself. */
export async function collectFrom(
  session: Session,
  options: Omit<CollectOptions, "inFrame"> = usual,
): Promise<Collected[]> {
  const { frameTree } = await session.send("Page.getFrameTree");
  const frames = framesOf(frameTree, frameTree.frame.securityOrigin);
  const collected: Collected[] = [];
  for (const [index, id] of frames.entries()) {
    const inFrame = index > 0;
    const off = inFrame ? [...options.axeOff, ...pageRules] : options.axeOff;
    collected.push(await collectIn(session, id, { ...options, axeOff: off, inFrame }));
  }
  return collected;
}

/**
 * Looks at the page that a tab shows, and at the frames of its own in it, with every engine.
 * It changes nothing in the page but where the focus is for a moment. Rejects when the page goes away meanwhile.
 */
export async function lookAtPage(session: Session): Promise<A11yResult> {
  const collected = await collectFrom(session);
  return {
    environment: "chromium",
    engines: engineNames,
    issues: collected.flatMap(mergeIssues),
    notChecked: collected.flatMap(({ failures }) =>
      failures.map((failure) => `a11y.axe: ${failure}`),
    ),
  };
}
