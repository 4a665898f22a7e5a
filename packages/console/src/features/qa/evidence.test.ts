import { expect, it } from "vitest";

import { factsOf } from "./evidence.ts";

it("names measurements in words and leaves out what is empty", () => {
  expect(
    factsOf({ scrollWidth: 512, ratio: 3.1234, ms: 1250.4, bytes: 1_250_000, none: null, no: "" }),
  ).toEqual([
    { name: "Scroll width", value: { kind: "text", text: "512" } },
    { name: "Contrast", value: { kind: "text", text: "3.12:1" } },
    { name: "Time", value: { kind: "text", text: "1,250 ms" } },
    { name: "Bytes", value: { kind: "text", text: "1.3 MB" } },
  ]);
});

it("shows times in readable units", () => {
  const texts = factsOf({ firstBad: "2026-11-21T20:11:46.594Z", other: "2026-99-99T20:11:46Z" });
  expect(texts.map(({ value }) => value)).toEqual([
    { kind: "text", text: "21 Nov 2026, 20:11 UTC" },
    { kind: "text", text: "2026-99-99T20:11:46Z" },
  ]);
});

it("shows a color only if the value is nothing but a color", () => {
  const kinds = factsOf({ fg: "#8a8f98", bg: "rgb(1 2 3 / 50%)", front: "url(//evil)" }).map(
    ({ value }) => value.kind,
  );
  expect(kinds).toEqual(["color", "color", "text"]);
});

it("links only to web addresses and shows only embedded images", () => {
  const facts = factsOf({
    helpUrl: "https://example.com/rule",
    href: "javascript:alert(1)",
    screenshot: "data:image/png;base64,AAAA",
    other: "data:image/svg+xml;base64,AAAA",
  });
  expect(facts.map(({ value }) => value.kind)).toEqual(["link", "text", "image", "text"]);
});

it("escapes bidirectional characters and cuts long text", () => {
  const [fact] = factsOf({ text: `a\u202eb${"x".repeat(5000)}` });
  if (fact?.value.kind !== "text") throw new Error("It is no text.");
  expect(fact.value.text.startsWith("a[U+202E]b")).toBe(true);
  expect(fact.value.text.length).toBeLessThan(1300);
});

it("keeps lists and their order, up to a limit", () => {
  const hops = Array.from({ length: 15 }, (_, index) => ({ url: `/${index}`, status: 301 }));
  const [fact] = factsOf({ hops });
  if (fact?.value.kind !== "list") throw new Error("It is no list.");
  expect(fact.value.items).toHaveLength(12);
  expect(fact.value.more).toBe(3);
  expect(fact.value.items[0]).toEqual({
    kind: "facts",
    facts: [
      { name: "Address", value: { kind: "text", text: "/0" } },
      { name: "Status", value: { kind: "text", text: "301" } },
    ],
  });
});
