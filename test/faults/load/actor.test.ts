import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Journal, makeJournal } from "../journal.ts";
import type { FaultContext } from "../kinds/fault.ts";
import { power } from "../kinds/storage.ts";
import type { Answer, Product } from "../product.ts";
import { seededRandom } from "../random.ts";
import { messages } from "./visitors.ts";

const accepted: Answer = { status: 200, data: { received: true }, error: null, cookie: "" };

/** Sends one message by the contact form; `answer` ends its request. */
function sendMessage(journal: Journal) {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const ending = new AbortController();
  let text = "";
  const request = (_path: string, { body }: { body: { message: string } }) => {
    text = body.message;
    ending.abort();
    return promise;
  };
  const product = { request } as unknown as Product;
  const random = seededRandom(1);
  const ended = messages({ product, journal, random, token: "", signal: ending.signal });
  return {
    text,
    async answer() {
      resolve(accepted);
      await ended;
    },
  };
}

/** Cuts the power and restores it; the caller says when each of the two is done. */
function cutPower(journal: Journal) {
  const cut = Promise.withResolvers<void>();
  const restored = Promise.withResolvers<void>();
  const volume = { cutPower: () => cut.promise, restorePower: () => restored.promise };
  const product = { killAll: async () => {}, ensureStarted() {} };
  const ended = power.inject({
    product,
    volume,
    postgres: null,
    journal,
  } as unknown as FaultContext);
  return {
    async finishCut() {
      cut.resolve();
      await nextTurn();
    },
    async restore() {
      restored.resolve();
      await ended;
    },
  };
}

test("a message answered before the power is cut is acknowledged", async () => {
  const journal = makeJournal();
  const message = sendMessage(journal);
  await message.answer();
  const cut = cutPower(journal);
  await cut.finishCut();
  await cut.restore();
  expect([...journal.messages]).toEqual([message.text]);
});

test.each(["while it is cut", "without power", "with power again"])(
  "a message sent before the cut and answered %s may be stored or not",
  async (moment) => {
    const journal = makeJournal();
    const message = sendMessage(journal);
    const cut = cutPower(journal);
    if (moment === "while it is cut") await message.answer();
    await cut.finishCut();
    if (moment === "without power") await message.answer();
    await cut.restore();
    if (moment === "with power again") await message.answer();
    expect([...journal.messages]).toEqual([]);
    expect(journal.counts.get("message")).toEqual({ done: 0, refused: 0, unanswered: 1 });
  },
);

test("a message sent and answered without power is acknowledged, and would be lost", async () => {
  const journal = makeJournal();
  const cut = cutPower(journal);
  await cut.finishCut();
  const message = sendMessage(journal);
  await message.answer();
  await cut.restore();
  expect([...journal.messages]).toEqual([message.text]);
});
