import type { Session } from "./devtools.ts";
import type { Visit } from "./visit.ts";
import type { World } from "./world.ts";

const maxPresses = 200;
/** For pages that may move the focus later, which take so much longer for each key. */
const maxSlowPresses = 30;
const reactionMs = 40;

async function press(session: Session, key: "Tab" | "Escape", shift = false): Promise<void> {
  await session.send("Input.dispatchKeyEvent", {
    type: "rawKeyDown",
    key,
    code: key,
    windowsVirtualKeyCode: key === "Tab" ? 9 : 27,
    modifiers: shift ? 8 : 0,
  });
}

/** Whether the focus leaves a trap backwards or with Escape (WCAG 2.2, 2.1.2). */
async function staysTrapped(session: Session, world: World, pauseMs: number): Promise<boolean> {
  const pressAll = async (keys: readonly Parameters<typeof press>[1][], shift: boolean) => {
    await world.call("enterTrap");
    for (const key of keys) {
      await press(session, key, shift);
      if (pauseMs > 0) await world.call("letReact", pauseMs);
    }
    return world.call<boolean>("isInTrap");
  };
  return (
    (await pressAll(["Tab", "Tab", "Tab"], true)) &&
    (await pressAll(["Escape", "Tab", "Tab", "Tab"], false))
  );
}

const canTrapFocus = /^(?:key(?:down|up|press)|focus(?:in|out)?|blur)$/;

/** The event listeners of a page, by the browser's IDs, which are released with the page. */
export async function findListeners(session: Session): Promise<string[]> {
  const asked = ["window", "document"].map((expression) =>
    session.send("Runtime.evaluate", { expression }),
  );
  return (await Promise.all(asked)).map(({ result }) => result.objectId ?? "");
}

/** How a page reacts to keys and the focus: not at all, at once, or also some time later. */
export type FocusReaction = "none" | "prompt" | "delayed";

/** How many elements that notice that they lose the focus are looked at. */
const maxLosers = 10;

/** Whether one of these elements is a link, a button, or a field. */
async function hasControl(session: Session, ids: readonly number[]): Promise<boolean> {
  const asked = ids.slice(0, maxLosers).map(async (backendNodeId) => {
    const { node } = await session.send("DOM.describeNode", { backendNodeId });
    return /^(?:a|button|input|select|textarea)$/i.test(node.localName);
  });
  return (await Promise.all(asked)).includes(true);
}

/**
 * What in the page listens to keys or the focus, except our own world. A control that notices that
 * it loses the focus may take it back later.
 */
export async function focusReaction(
  session: Session,
  listeners: readonly string[],
): Promise<FocusReaction> {
  const asked = listeners.map((objectId) =>
    session.send("DOMDebugger.getEventListeners", { objectId, depth: -1, pierce: true }),
  );
  const found = (await Promise.all(asked)).flatMap((one) => one.listeners);
  const relevant = found.filter(({ type }) => canTrapFocus.test(type));
  if (relevant.length === 0) return "none";
  const losers = relevant.flatMap(({ type, backendNodeId }) =>
    /^(?:blur|focusout)$/.test(type) && backendNodeId !== undefined ? [backendNodeId] : [],
  );
  return (await hasControl(session, [...new Set(losers)])) ? "delayed" : "prompt";
}

interface Walked {
  sequence: string[];
  trapped: boolean;
  unseen: number;
}

/** Presses the Tab key once around the page, at most 200 times. */
async function walkByKeys(session: Session, world: World): Promise<Walked> {
  const stops = await world.call<number>("beginWalk");
  const presses = stops === 0 ? 0 : Math.min(stops + 5, maxPresses);
  // They are sent together and processed in order: one by one, each would wait for the page.
  await Promise.all(Array.from({ length: presses }, () => press(session, "Tab")));
  return world.call<Walked>("endWalk", presses);
}

/** The same as a person does it, with time for the page to react to each key. */
async function walkSlowly(session: Session, world: World): Promise<Walked> {
  const stops = await world.call<number>("beginWalk");
  const presses = Math.min(stops + 5, maxSlowPresses);
  for (let i = 0; i < presses; i++) {
    await press(session, "Tab");
    await world.call("letReact", reactionMs);
  }
  return world.call<Walked>("endWalk", presses);
}

/**
 * Whether the focus gets stuck. If a page reacts later, the keys that were pressed at once may have
 * met only a part of the trap, from which the focus gets out.
 */
async function getsStuck(
  { session, world }: { session: Session; world: World },
  reaction: FocusReaction,
  walked: Walked,
): Promise<boolean> {
  const pauseMs = reaction === "delayed" ? reactionMs : 0;
  if (walked.trapped && (await staysTrapped(session, world, pauseMs))) return true;
  if (reaction !== "delayed") return false;
  const { trapped } = await walkSlowly(session, world);
  return trapped && staysTrapped(session, world, pauseMs);
}

/** Follows the Tab order, by pressing the key only if something listens to it. */
export async function walkFocus(
  session: Session,
  world: World,
  reaction: FocusReaction,
): Promise<Visit["focus"]> {
  const walked =
    reaction === "none"
      ? await world.call<Walked>("walkWithoutKeys")
      : await walkByKeys(session, world);
  const isStuck = await getsStuck({ session, world }, reaction, walked);
  return {
    sequence: walked.sequence,
    stuck: isStuck ? await world.call("readTrap") : null,
    unseen: walked.unseen > 0 ? await world.call("readUnseen") : [],
  };
}
