import { expect, test } from "vitest";
import { removeOwnLinks } from "./links.ts";

const reply = "See https://akero.example/work and www.akero.example, or mail to me@akero.example.";

test.each([
  ["![x](https://evil.example/p.png)", ""],
  ["[here](https://evil.example/)", "here"],
  ["[here](javascript:alert(1))", "here)"],
  ["[a [b] c](https://evil.example/)", "[a [b] c]()"],
  ["[here][1]\n\n[1]: https://evil.example/", "[here][1]"],
  ["<https://evil.example/>", ""],
  ["Go to www.evil.example/x now", "Go to  now"],
  ["Mail thief@evil.example now", "Mail  now"],
  ["<mailto:thief@evil.example>", ""],
])("abuse 67: an address that its owner never gave is left out: %s", (text, left) => {
  expect(removeOwnLinks(text, reply)).toEqual({ text: left, removed: 1 });
});

test.each([
  "[here](https://akero.example/work)",
  "https://akero.example/work.",
  "www.akero.example, and me@akero.example",
  "Nothing at all, at 3 o'clock @ home.",
])("what its owner gave stays: %s", (text) => {
  expect(removeOwnLinks(text, reply)).toEqual({ text, removed: 0 });
});
