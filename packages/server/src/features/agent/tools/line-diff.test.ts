import { applyPatch, createTwoFilesPatch } from "diff";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines, unifiedPatch } from "./line-diff.ts";

const patchOf = (before: string, after: string) =>
  unifiedPatch("a/x", "b/x", diffLines(before, after));

const line = fc.constantFrom("a", "b", "c", "d", "", " a", "\\", "-a", "+b", "@@ x");
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, ends]) => lines.join("\n") + (ends && lines.length > 0 ? "\n" : ""));

test("a patch turns the old text into the new one, and its counts are right", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { added, removed, hunks } = diffLines(before, after);
      expect(applyPatch(before, patchOf(before, after))).toBe(after);
      const signs = hunks.flatMap((hunk) => hunk.lines.map((one) => one[0]));
      expect(signs.filter((sign) => sign === "+")).toHaveLength(added);
      expect(signs.filter((sign) => sign === "-")).toHaveLength(removed);
    }),
  );
});

test.each([
  ["a line in the middle", "a\nb\nc\nd\ne\nf\ng\nh\ni\n", "a\nb\nc\nd\nE\nf\ng\nh\ni\n"],
  ["lines far apart", `x\n${"q\n".repeat(20)}y\n`, `X\n${"q\n".repeat(20)}Y\n`],
  ["a new file", "", "a\nb\n"],
  ["a file that goes", "a\nb", ""],
  ["a break at the end", "a\nb", "a\nb\n"],
  ["no change", "a\nb\n", "a\nb\n"],
])("%s has the usual patch", (_, before, after) => {
  const usual = createTwoFilesPatch("a/x", "b/x", before, after, undefined, undefined, {
    context: 3,
  });
  expect(patchOf(before, after)).toBe(usual);
});

test("abuse 141: complete changes, moves, and repetitions are compared in limited time", () => {
  const many = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}`);
  const [before, after] = [many("old"), many("new")];
  const changed = diffLines(before.join("\n"), after.join("\n"));
  expect(changed).toMatchObject({ added: 20_000, removed: 20_000 });
  // One line stays: of a reversed order no two do.
  const moved = diffLines(before.join("\n"), before.toReversed().join("\n"));
  expect(moved.added).toBeGreaterThanOrEqual(19_999);
  const repeated = diffLines("a\nb\n".repeat(20_000), "b\nb\na\n".repeat(20_000));
  expect(repeated.added - repeated.removed).toBe(20_000);
}, 30_000);
