import * as fc from "fast-check";
import { mutated } from "./bytes.ts";
import type { FuzzCase } from "./case.ts";

const markup = fc.constantFrom(
  '<a href="/x/">',
  "<a href=/x",
  "<img srcset='/a 1x, /b,c 2x'>",
  '<meta http-equiv=refresh content="0;url=/x">',
  "<style>a{background:url(/x)}@import '/y';",
  "</style>",
  '<script type="module">import "/_astro/a.js"',
  "</script>",
  "<svg><use xlink:href='/x#a'/>",
  "<math><annotation-xml encoding=text/html>",
  "<template shadowrootmode=open>",
  "<table><tr><td><a>",
  "<select><option><b><i>",
  "<b><i></b></i>",
  "<p><div></p>",
  "<!--",
  "-->",
  "<![CDATA[",
  "<!doctype html>",
  "<html lang=en><head><body>",
  "</head>",
  "<noscript><plaintext>",
  "\u0000",
  "&amp;&#0;&notin",
  "\ufeff",
  "text",
);
const css = fc.constantFrom(
  "@import '/x'",
  "@import url(/x) layer(a)",
  "a{b:url(/x)}",
  "url(",
  "image-set('/a' 1x)",
  '"\\\n',
  "/*",
  "*/",
  "{",
  "}",
  "(",
  ")",
  ";",
  "\\",
  "\u0000",
  "@media",
);
const script = fc.constantFrom(
  'import "/_astro/a.js"',
  'import("/_astro/b.js")',
  " from '/_astro/c.js'",
  "import",
  " ".repeat(50),
  "`${",
  "'",
  "\n",
);

/** Pages, styles and scripts for the preview's rewriter; some a hundred times as long. */
export const rewriteCase: fc.Arbitrary<FuzzCase> = fc.oneof(
  ...(
    [
      ["html", markup],
      ["css", css],
      ["script", script],
    ] as const
  ).map(([type, piece]) =>
    fc
      .tuple(
        fc.array(fc.oneof(piece, fc.string({ maxLength: 12 })), { maxLength: 40 }),
        fc.constantFrom(1, 1, 1, 100),
      )
      .map(([pieces, times]): FuzzCase => ({
        kind: "rewrite",
        type,
        source: pieces.join("").repeat(times),
      })),
  ),
);

const resume = {
  basics: {
    name: "Ada",
    email: "a@example.com",
    profiles: [{ network: "X", url: "https://example.com" }],
  },
  work: [{ name: "A", position: "B", startDate: "2020-01", highlights: ["c"] }],
  projects: [{ name: "P", startDate: "2019", url: "https://example.com/p" }],
  skills: [{ name: "S", keywords: ["k"] }],
};
const study = `---\ntitle: A study\ndate: 2026-01-02\ntags: [a, b]\ncover: ./a.png\nmetrics:\n  - {value: 1, label: x}\n---\n\n# Head\n\nText with [link](/x) and ![image](a.png).\n`;
const importSamples = [
  { name: "resume.json", bytes: Buffer.from(JSON.stringify(resume, null, 1)) },
  { name: "study.md", bytes: Buffer.from(study) },
];
const yaml = fc.constantFrom(
  "&a [*a]",
  "!!js/function x",
  "? ",
  "{{{{",
  "<<: *x",
  "\t- ",
  "---\n",
  "1e999",
  "\u0000",
  "a: ".repeat(60),
);

/** A résumé or a case study as a file, right or damaged. */
export const importCase: fc.Arbitrary<FuzzCase> = fc
  .constantFrom(...importSamples)
  .chain(({ name, bytes }) =>
    fc
      .tuple(mutated([bytes]), fc.option(fc.tuple(yaml, fc.nat(60)), { nil: undefined }))
      .map(([changed, extra]): FuzzCase => {
        const content = extra
          ? Buffer.concat([
              changed.subarray(0, extra[1]),
              Buffer.from(extra[0]),
              changed.subarray(extra[1]),
            ])
          : changed;
        return { kind: "import", name, content: content.toString("base64") };
      }),
  );

/** A backup of the instance, damaged. */
export function archiveCase(backup: Buffer): fc.Arbitrary<FuzzCase> {
  return mutated([backup]).map((bytes) => ({ kind: "archive", content: bytes.toString("base64") }));
}
