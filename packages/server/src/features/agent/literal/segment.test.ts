import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readAstro } from "./astro-source.ts";
import { readJson } from "./json-source.ts";
import { decode, rewrite, type Segment } from "./segment.ts";

/** Each kind of place in a small file, with the text OLD in it. */
const frames: Record<string, { source: string; read: (source: string) => Segment[] }> = {
  json: { source: `{"a": [1, {"b": "OLD"}], "c": "kept"}`, read: readJson },
  text: { source: `<p>OLD</p><b>kept</b>`, read: (s) => readAstro(s).segments },
  attribute: { source: `<img alt="OLD"><b>kept</b>`, read: (s) => readAstro(s).segments },
  property: { source: `<Card a="OLD" /><b>kept</b>`, read: (s) => readAstro(s).segments },
  "single quotes": { source: `<Card a={'OLD'} /><b>kept</b>`, read: (s) => readAstro(s).segments },
  template: { source: "<Card a={`OLD`} /><b>kept</b>", read: (s) => readAstro(s).segments },
};

const words = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }),
  fc
    .array(fc.constantFrom(..."\"'`{}<>&;$\\#38xamp/ a".split("")), { minLength: 1, maxLength: 12 })
    .map((c) => c.join("")),
);

test.each(Object.entries(frames))(
  "source text written as %s reads as it renders",
  (_, { source, read }) => {
    fc.assert(
      fc.property(words, (reply) => {
        const text = reply.replace(/\s+/g, " ").trim();
        fc.pre(text !== "");
        const place = read(source).find((s) => decode(source, s).text === "OLD");
        if (place === undefined) throw new Error("no place");
        const after = rewrite(source, place, [{ start: place.start, end: place.end, text }]);
        const texts = read(after).map((s) => decode(after, s).text);
        // Nothing else came to be: what was said can't become markup, code or a key.
        expect(texts.map((t) => t.trim())).toEqual([text, "kept"]);
      }),
      { numRuns: 400 },
    );
  },
);

test("source of any kind is read to its end without hanging or throwing", () => {
  const bits = fc.array(
    fc.constantFrom(
      "<p",
      ">",
      "</p>",
      "{",
      "}",
      '"',
      "'",
      "`",
      "${",
      "---\n",
      "<!--",
      "/*",
      "//",
      "a b",
      "=",
      "/>",
      "<",
      "\n",
      "\\",
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(bits, (parts) => {
      const source = parts.join("");
      for (const segment of [...readAstro(source).segments, ...readJson(source)]) {
        expect(segment.start).toBeLessThanOrEqual(segment.end);
        expect(segment.end).toBeLessThanOrEqual(source.length + 1);
      }
    }),
    { numRuns: 2000 },
  );
});
