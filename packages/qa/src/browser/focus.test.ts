import { expect, test } from "vitest";
import type { Session } from "./devtools.ts";
import { walkFocus } from "./focus.ts";
import type { World } from "./world.ts";

test("the keys are pressed slowly if the focus leaves what looked like a trap of a page that reacts later", async () => {
  const walk = { sequence: ["#one"], trapped: true, unseen: 0 };
  const calls: string[] = [];
  const answers: Record<string, () => unknown> = {
    beginWalk: () => 1,
    endWalk: () => walk,
    // Only the trap that the slow keys find holds the focus.
    isInTrap: () => calls.filter((name) => name === "beginWalk").length === 2,
    readTrap: () => ({ locator: "#one" }),
  };
  const world = {
    call: async (name: string) => {
      calls.push(name);
      return answers[name]?.();
    },
  } as unknown as World;
  const session = { send: async () => ({}) } as unknown as Session;

  expect((await walkFocus(session, world, "prompt")).stuck).toBeNull();
  calls.length = 0;
  expect((await walkFocus(session, world, "delayed")).stuck).toEqual({ locator: "#one" });
});
