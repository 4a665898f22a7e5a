import { expect, test } from "vitest";
import { readScope } from "./task-scope.ts";

const row = {
  kind: "edit" as const,
  instruction: "Fix the tagline",
  page_url: "/about/",
  attachments: "[]",
};

test("a scope that an earlier version has stored is read with its names of then", () => {
  const same = { pages: ["/work/"], kinds: ["text"], style: [], quotes: [], targets: [] };
  const rewrites = [{ from: "words", to: "given" }];
  const stored = {
    ...same,
    rewrites,
    fewWords: true,
    removals: true,
    words: ["taglin"],
    wide: true,
    given: ["90 €"],
    said: ["a", "b"],
    dictates: true,
    adds: true,
    only: { links: null, images: [], words: ["teh"] },
  };
  const scope = {
    ...same,
    rewrites,
    isMinorEdit: true,
    allowsRemovals: true,
    keywords: ["taglin"],
    allowsSeveralParts: true,
    allowedFacts: ["90 €"],
    dictatedPieces: ["a", "b"],
    isDictation: true,
    isAddition: true,
    only: { links: null, images: [], misspelledWords: ["teh"] },
  };
  expect(readScope(row, JSON.stringify(stored))).toEqual(scope);
  expect(readScope(row, JSON.stringify(scope))).toEqual(scope);
});

test("one that can't be read is made from the task's row", () => {
  expect(readScope(row, '{"pages":5}')).toEqual(readScope(row, undefined));
});
