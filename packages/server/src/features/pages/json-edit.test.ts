import { expect, test } from "vitest";
import { editJson } from "./json-edit.ts";

const text = `{
  "title": "One \\" two",
  "nav": [
    { "label": "A", "href": "/a/" },
    { "label": "B", "href": "/b/" }
  ],
  "odd":   [1,   2, null],
  "empty": {}
}
`;

test("only the changed value changes, and the rest of the file stays byte for byte", () => {
  const nav = [
    { label: "A", href: "/a/" },
    { label: "Bee", href: "/b/" },
  ];
  expect(editJson(text, { nav })).toBe(text.replace('"B"', '"Bee"'));
  expect(editJson(text, { title: "T" })).toBe(text.replace('"One \\" two"', '"T"'));
  expect(editJson(text, JSON.parse(text))).toBe(text);
});

test("a new key and a list of a different length follow the file's indentation", () => {
  const edited = editJson(text, { nav: [{ label: "A", href: "/a/" }], hidden: ["/b/"] });
  expect(JSON.parse(edited)).toEqual({
    ...JSON.parse(text),
    nav: [{ label: "A", href: "/a/" }],
    hidden: ["/b/"],
  });
  expect(edited).toContain('  "odd":   [1,   2, null],\n');
  expect(edited).toContain('  "empty": {},\n  "hidden": [\n    "/b/"\n  ]\n}');
});

test("an undefined key is removed, wherever it is", () => {
  const members = ["title", "nav", "odd", "empty"];
  for (let chosen = 0; chosen < 2 ** members.length; chosen += 1) {
    const gone = members.filter((_, index) => (chosen >> index) % 2 === 1);
    const values = Object.fromEntries(gone.map((key) => [key, undefined]));
    const rest = Object.entries(JSON.parse(text) as object).filter(([key]) => !gone.includes(key));
    const edited = editJson(text, { ...values, added: 1 });
    expect([gone, JSON.parse(edited)]).toEqual([gone, { ...Object.fromEntries(rest), added: 1 }]);
    expect(edited.includes('"odd":   [1,   2, null]')).toBe(!gone.includes("odd"));
  }
  expect(JSON.parse(editJson('{"a": 1}', { a: undefined }))).toEqual({});
  expect(editJson(text, { none: undefined })).toBe(text);
});
