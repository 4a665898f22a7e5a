import type { Session } from "./devtools.ts";
import type { Visit } from "./visit.ts";
import type { World } from "./world.ts";

const maxPresses = 200;

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
async function staysTrapped(session: Session, world: World): Promise<boolean> {
  await world.call("enterTrap");
  for (let i = 0; i < 3; i++) await press(session, "Tab", true);
  if (!(await world.call<boolean>("isInTrap"))) return false;
  await world.call("enterTrap");
  await press(session, "Escape");
  for (let i = 0; i < 3; i++) await press(session, "Tab");
  return world.call<boolean>("isInTrap");
}

const canTrapFocus = /^(?:key(?:down|up|press)|focus(?:in|out)?|blur)$/;

/** The event listeners of a page, by the browser's IDs, which are released with the page. */
export async function findListeners(session: Session): Promise<string[]> {
  const asked = ["window", "document"].map((expression) =>
    session.send("Runtime.evaluate", { expression }),
  );
  return (await Promise.all(asked)).map(({ result }) => result.objectId ?? "");
}

/** Whether anything in the page listens to keys or the focus, except our own world. */
export async function listens(session: Session, listeners: readonly string[]): Promise<boolean> {
  const asked = listeners.map((objectId) =>
    session.send("DOMDebugger.getEventListeners", { objectId, depth: -1, pierce: true }),
  );
  const found = (await Promise.all(asked)).flatMap((one) => one.listeners);
  return found.some(({ type }) => canTrapFocus.test(type));
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

/** Follows the Tab order, by pressing the key only if something listens to it. */
export async function walkFocus(
  session: Session,
  world: World,
  listening: boolean,
): Promise<Visit["focus"]> {
  const walked = listening
    ? await walkByKeys(session, world)
    : await world.call<Walked>("walkWithoutKeys");
  const trapped = walked.trapped && (await staysTrapped(session, world));
  return {
    sequence: walked.sequence,
    stuck: trapped ? await world.call("readTrap") : null,
    unseen: walked.unseen > 0 ? await world.call("readUnseen") : [],
  };
}
