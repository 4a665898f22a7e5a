import { expect, test } from "vitest";
import { emptied, entryName, labelOf } from "./values.ts";

test("fields are called what their keys say, and entries what they are", () => {
  expect(labelOf("principlesHeading")).toBe("Principles heading");
  expect(labelOf("href")).toBe("Link address");
  expect(entryName({ name: "Care" }, 0)).toBe("Care");
  expect(entryName("text", 2)).toBe("Entry 3");
});

test("a new entry has the fields of the others, and nothing in them", () => {
  expect(emptied({ name: "Care", points: ["a"], hidden: true, n: 3 })).toEqual({
    name: "",
    points: [],
    hidden: false,
    n: 3,
  });
});
