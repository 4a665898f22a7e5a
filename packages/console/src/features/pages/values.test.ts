import { expect, test } from "vitest";
import { emptied, entryName, labelOf } from "./values.ts";

test("fields are named after their keys, and entries after their content", () => {
  expect(labelOf("principlesHeading")).toBe("Principles heading");
  expect(labelOf("href")).toBe("Link address");
  expect(entryName({ name: "Care" }, 0)).toBe("Care");
  expect(entryName("text", 2)).toBe("Entry 3");
});

test("a new entry has the same fields as the others, all empty", () => {
  expect(emptied({ name: "Care", points: ["a"], hidden: true, n: 3 })).toEqual({
    name: "",
    points: [],
    hidden: false,
    n: 3,
  });
});
