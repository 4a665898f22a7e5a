import { expect, test } from "vitest";
import { renameKeys, renameKeysAt } from "./renamed-keys.ts";

const names = { look: "theme" };

test.each([
  [
    { look: 1, other: 2 },
    { theme: 1, other: 2 },
  ],
  [{ inner: { look: 1 } }, { inner: { look: 1 } }],
  [
    { look: 1, theme: 2 },
    { look: 1, theme: 2 },
  ],
  [{ toString: 1 }, { toString: 1 }],
  [["look"], ["look"]],
  [null, null],
])("%j has its present names as %j", (value, renamed) => {
  expect(renameKeys(value, names)).toEqual(renamed);
});

test("a key called __proto__ stays a key", () => {
  const value: unknown = JSON.parse('{"__proto__":{"look":1},"look":2}');
  const renamed = renameKeys(value, names) as object;
  expect(Object.keys(renamed)).toEqual(["__proto__", "theme"]);
  expect(Object.getPrototypeOf(renamed)).toBe(Object.prototype);
});

test.each([
  [
    { a: { b: { look: 1 } }, look: 2 },
    { a: { b: { theme: 1 } }, look: 2 },
  ],
  [{ a: { look: 1 } }, { a: { look: 1 } }],
  [{ a: [{ look: 1 }] }, { a: [{ look: 1 }] }],
  ["look", "look"],
])("%j has its present names below a and b as %j", (value, renamed) => {
  expect(renameKeysAt(value, ["a", "b"], names)).toEqual(renamed);
});
