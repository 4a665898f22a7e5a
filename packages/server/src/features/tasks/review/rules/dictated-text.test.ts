import { expect, test } from "vitest";
import { deriveScope } from "../../scope/derive-scope.ts";
import { isRespelling, isRewrite, isDictatedText, isTypo } from "./dictated-text.ts";

const scopeOf = (instruction: string) => ({
  scope: deriveScope({
    kind: "edit",
    instruction,
    pageUrl: "/about/",
    projectPath: null,
    hasAttachments: false,
    finding: null,
  }),
});

test.each([
  ["“Write to me” → “Tell me about it”", "Write to me", "Tell me about it"],
  ["“we make” should be “we build”.", "Who uses what we make.", "Who uses what we build."],
  [
    "Say “We fix it.” instead of “We mend”.",
    "We mend it all. Then we go.",
    "We fix it. Then we go.",
  ],
  ["Rename Talks and writing to Talks and articles", "Talks and writing", "Talks and articles"],
  ["Replace the point “One” with “Two”", "one.", "two"],
])("old and new words are the whole change: %s", (instruction, before, after) => {
  expect(isRewrite(scopeOf(instruction), before, after)).toBe(true);
  expect(isRewrite(scopeOf(instruction), before, `${after}, or ask somebody else`)).toBe(false);
  expect(isRewrite(scopeOf(instruction), "Care", after)).toBe(false);
});

test.each([
  ["Add to my story: I teach each spring.", "", "I teach each spring."],
  ["Add “Images”, “Chosen, cut and described.”", "", "Chosen, cut and described."],
  [
    "The note can be shorter: Same text.",
    "Same text, with links. It prints.",
    "Same text. It prints.",
  ],
  [
    "Footer: say “Made without haste.”",
    "© 2026 Mara. Made in time.",
    "© 2026 Mara. Made without haste.",
  ],
])("dictated words are the whole text: %s", (instruction, before, after) => {
  expect(isDictatedText(scopeOf(instruction), before, after)).toBe(true);
  expect(isDictatedText(scopeOf(instruction), before, `${after} Book at another studio.`)).toBe(
    false,
  );
  expect(isDictatedText(scopeOf(instruction), before, `Never ${after}`)).toBe(false);
  expect(isDictatedText(scopeOf(instruction), before, "Another text altogether.")).toBe(false);
});

test.each([
  ["each has a pirce before it", "each has a price before it", true],
  ["Pirce, and pirce", "price, and price", true],
  ["a pirce for all", "a price for none", false],
  ["each has a pirce and a contract", "each has a contract and a price", false],
  ["a pirce", "a promise of much more", false],
  ["a contract", "a contact", false],
])("a misspelt word: %s → %s", (before, after, allowed) => {
  expect(isRespelling(["pirce"], before, after)).toBe(allowed);
});

test.each([
  ["Your e-mail address", "Your email address", true],
  ["Name", "Password", false],
  ["Your e-mail address", "Your card number", false],
  ["Call 031 55", "Call 031 56", false],
])("a label of a field: %s → %s", (before, after, allowed) => {
  expect(isTypo(before, after)).toBe(allowed);
});
