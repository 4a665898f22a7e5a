import { expect, test } from "vitest";

import { addressError, parseAddresses } from "./addresses.ts";

test.each([
  ["a@x.example", ["a@x.example"]],
  [
    "a@x.example, b@x.example; c@x.example\nd@x.example e@x.example",
    ["a", "b", "c", "d", "e"].map((one) => `${one}@x.example`),
  ],
  ['"Lovelace, Ada" <Ada@X.example>', ["ada@x.example"]],
  ["mailto:a@x.example\n\n  A@x.example  ", ["a@x.example"]],
  ["Ada <a@x.example>, Bo <b@x.example>", ["a@x.example", "b@x.example"]],
])("reads %j", (text, addresses) => {
  expect(parseAddresses(text).addresses).toEqual(addresses);
});

test("reports invalid addresses, and none or too many", () => {
  expect(addressError("a@x.example, nobody")).toBe("not an email address: “nobody”");
  expect(addressError("a b c d e")).toBe("not an email address: “a”, “b”, “c” and 2 more");
  expect(addressError(" \n, ")).toBe("enter at least one address");
  const many = Array.from({ length: 51 }, (_, n) => `p${n}@x.example`).join("\n");
  expect(addressError(many)).toBe("invite at most 50 people at a time; you entered 51");
  expect(addressError("a@x.example")).toBeNull();
});
