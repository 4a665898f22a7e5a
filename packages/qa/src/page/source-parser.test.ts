import { parse } from "parse5";
import { adapter } from "parse5-htmlparser2-tree-adapter";
import { expect, test } from "vitest";
import { type Document, isElement, nodesBelow } from "./dom.ts";
import { parseSource } from "./source-parser.ts";

/** Every node with what is told of it, in order. */
function reported(document: Document): string[] {
  return [...nodesBelow(document)].map((node) => {
    if (!isElement(node)) return `${node.type} ${"data" in node ? node.data : ""}`;
    const { name, namespace, attribs, sourceCodeLocation: at } = node;
    const depth = [...parents(node)].length;
    const place = at ? [at.startLine, at.startCol, at.startOffset, "endTag" in at] : null;
    return JSON.stringify([depth, name, namespace, Object.entries(attribs), place]);
  });
}

function* parents(node: { parent: unknown }) {
  for (let at = node.parent as typeof node | null; at; at = at.parent as typeof node | null) {
    yield at;
  }
}

type Errors = { code: string; startLine: number; startCol: number; startOffset: number }[];
const words = (errors: Errors) =>
  errors.map(({ code, startLine, startCol, startOffset }) =>
    [code, startLine, startCol, startOffset].join(" "),
  );

/** What parse5 itself makes of a text, and what is made of it here. */
function both(text: string) {
  const errors: [Errors, Errors] = [[], []];
  const plain = parse(text, {
    treeAdapter: adapter,
    sourceCodeLocationInfo: true,
    onParseError: (error) => errors[0].push(error),
  });
  const own = parseSource(text, (error) => errors[1].push(error));
  return [
    { nodes: reported(plain), errors: words(errors[0]) },
    { nodes: reported(own), errors: words(errors[1]) },
  ] as const;
}

const pieces = [
  ..."foo| bar|a b  c d|\n|\r\n|\r|\t|\0|<|&|&amp;|&notit;|é|—|😀|\u0080|\ufdd0|=\"|'|>|/>|</3>".split(
    "|",
  ),
  ..."<p>|</p>|<b>|</b>|<a href=\"x y&amp;z\u0001\">|<a href='q' HREF=2>|</a>|<br/>|<x-y Foo-1 foo-1>".split(
    "|",
  ),
  ..."<table>|<tr>|<td>|<col>|</table>|<select>|<option>|</select>|<template>|</template>".split(
    "|",
  ),
  ..."<frameset>|</frameset>|<svg>|<math>|</svg>|<![CDATA[ a b ]]>|<script>|</script>|<title>|</title>".split(
    "|",
  ),
  ...'<pre>|<textarea>|<!-- c -->|<!doctype html>|<html lang="de\n x">|<head>|<body class=a>|</body>|</html>'.split(
    "|",
  ),
  ...'<p class="a b" id="c">|<img src="/a" src="b" alt="">|<br />|<input disabled>|<i x="é"y>|<svg viewbox="0" />'.split(
    "|",
  ),
];

test("trees, positions, and errors are those of parse5, whatever the order of text and tags", () => {
  let state = 7;
  const chance = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let i = 0; i < 1500; i++) {
    const parts = Array.from({ length: 1 + chance(14) }, () => pieces[chance(pieces.length)]);
    const text = parts.join("");
    const [plain, own] = both(text);
    expect({ text, ...own }).toEqual({ text, ...plain });
  }
});

test("a text longer than parse5's buffer is read to its end", () => {
  const [plain, own] = both(
    `<p title="${"a b ".repeat(30_000)}">${"word é\n".repeat(30_000)}</p><i>x`,
  );
  expect(own).toEqual(plain);
});

test("the attributes of a second html tag are added to the first", () => {
  const document = parseSource(`<html><head></head><body><html lang="de">`, () => {});
  const html = [...nodesBelow(document)].find((node) => isElement(node) && node.name === "html");
  expect(html).toMatchObject({ attribs: { lang: "de" } });
});
