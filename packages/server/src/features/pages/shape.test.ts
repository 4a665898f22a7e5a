import { describe, expect, test } from "vitest";
import { findFaults, shapeOf } from "./shape.ts";

const page = {
  title: "About",
  story: ["One.", "Two."],
  portrait: { src: "/images/a.svg", alt: "A", width: 960 },
  isOpen: true,
  services: [
    { name: "Care", points: ["Monthly"] },
    { name: "Design", href: "/design/" },
  ],
  faq: [],
};
const shape = shapeOf([page, { faq: [{ question: "Who?", answer: "Me." }] }]);
const faultsOf = (values: unknown) => findFaults(values, shape);
const otherType = "has a different type than the page’s value";

describe("the values that a page can have", () => {
  test("have the types of the present ones, and entries have their keys", () => {
    expect(faultsOf(page)).toEqual({});
    expect(faultsOf({ title: "Me", story: [], portrait: { alt: "B" }, isOpen: false })).toEqual({});
    expect(
      faultsOf({ services: [{ name: "Care", points: [], href: "https://a.example" }] }),
    ).toEqual({});
    // What an empty list may hold, the starter's content says.
    expect(faultsOf({ faq: [{ question: "When?", answer: "Now." }] })).toEqual({});
  });

  test("a value of another type is reported with its path", () => {
    expect(faultsOf({ title: 1, story: "One.", isOpen: "yes" })).toEqual({
      title: otherType,
      story: otherType,
      isOpen: otherType,
    });
    expect(faultsOf({ story: ["One.", ["Two."]], portrait: { width: "960" } })).toEqual({
      "story.1": otherType,
      "portrait.width": otherType,
    });
    expect(faultsOf({ title: null })).toEqual({ title: otherType });
    expect(faultsOf([])).toEqual({ "": otherType });
  });

  test("keys that no present value has are refused, including those of every object", () => {
    const unknown = "isn’t a field of this page";
    expect(faultsOf({ script: "x", portrait: { onload: "x" } })).toEqual({
      script: unknown,
      "portrait.onload": unknown,
    });
    const hostile = faultsOf(JSON.parse('{"__proto__": {"title": "x"}, "constructor": "x"}'));
    expect(Object.entries(hostile)).toEqual([
      ["__proto__", unknown],
      ["constructor", unknown],
    ]);
  });

  test("a list with entries of unknown shape can only stay empty", () => {
    const bare = shapeOf([{ related: [] }]);
    expect(findFaults({ related: [] }, bare)).toEqual({});
    expect(findFaults({ related: ["tide"] }, bare)).toEqual({
      related: "can’t be changed here, because Vitrine doesn’t know the structure of its entries",
    });
  });

  test("lists have at most 200 entries, texts at most 20,000 characters and no control characters", () => {
    expect(faultsOf({ story: Array(201).fill("") })).toEqual({
      story: "must have at most 200 entries",
    });
    expect(faultsOf({ title: "a".repeat(20_001) })).toEqual({
      title: "must be at most 20000 characters",
    });
    const controls = "can’t contain control characters";
    expect(faultsOf({ title: "a\u0000", story: ["\ud800"] })).toEqual({
      title: controls,
      "story.0": controls,
    });
    expect(faultsOf({ title: "two\nlines\tof it" })).toEqual({});
  });

  test("addresses lead to this site, the web, an email address, or a telephone number", () => {
    const wrong = "must start with /, https://, mailto:, tel: or #";
    for (const href of ["/a/", "#a", "", "mailto:a@b.example", "tel:+46", "HTTPS://a.example"]) {
      expect([href, faultsOf({ services: [{ href }] })]).toEqual([href, {}]);
    }
    for (const href of [
      "javascript:alert(1)",
      "//evil.example",
      "data:text/html,x",
      " /a/",
      "a/",
    ]) {
      expect([href, faultsOf({ services: [{ href }] })]).toEqual([
        href,
        { "services.0.href": wrong },
      ]);
    }
    expect(faultsOf({ portrait: { src: "javascript:1" } })).toEqual({ "portrait.src": wrong });
  });
});
