import * as fc from "fast-check";
import { Marked, type Token } from "marked";
import { expect, test } from "vitest";
import { altEdits, linkEdits, type MarkdownMatch } from "./markdown-edit.ts";

function applied(source: string, match: MarkdownMatch): string {
  if (match.kind !== "edits") return match.kind;
  return match.edits
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end),
      source,
    );
}

const changed = (source: string, from = "/aboutt/", to = "/about/") =>
  applied(source, linkEdits(source, from, to));

test.each([
  ["inline", "See [me](/aboutt/).", "See [me](/about/)."],
  ["a title", `[me](/aboutt/ "/aboutt/")`, `[me](/about/ "/aboutt/")`],
  ["an address in angle brackets", "[me](</aboutt/>)", "[me](</about/>)"],
  ["a label that is the address", "[/aboutt/](/aboutt/)", "[/aboutt/](/about/)"],
  ["brackets in a label", "[a \\] [b](/aboutt/)", "[a \\] [b](/about/)"],
  [
    "an image in a link",
    "[![x](/media/2026/a.webp)](/aboutt/)",
    "[![x](/media/2026/a.webp)](/about/)",
  ],
  ["a reference", "[me][a] and [a]\n\n[a]: /aboutt/ 'T'", "[me][a] and [a]\n\n[a]: /about/ 'T'"],
  ["a list in a quote", "> - a\n>   [me](/aboutt/)", "> - a\n>   [me](/about/)"],
  ["a table", "|a|\n|-|\n|[me](/aboutt/)|", "|a|\n|-|\n|[me](/about/)|"],
  [
    "two links",
    "[a](/aboutt/) [b](/aboutt/x) [c](/aboutt/)",
    "[a](/about/) [b](/aboutt/x) [c](/about/)",
  ],
  [
    "text and code beside it",
    "/aboutt/ `[a](/aboutt/)` [b](/aboutt/)",
    "/aboutt/ `[a](/aboutt/)` [b](/about/)",
  ],
  [
    "a block of code",
    "```\n[a](/aboutt/)\n```\n\n[b](/aboutt/)",
    "```\n[a](/aboutt/)\n```\n\n[b](/about/)",
  ],
  [
    "HTML, which is shown as text",
    `<a href="/aboutt/">x</a>\n\n[b](/aboutt/)`,
    `<a href="/aboutt/">x</a>\n\n[b](/about/)`,
  ],
  ["carriage returns", "a\r\n\r\n[b](/aboutt/)\r\n", "a\r\n\r\n[b](/about/)\r\n"],
])("a link with %s gets the new target, and nothing else changes", (_, source, result) => {
  expect(changed(source)).toBe(result);
});

test.each([
  ["no link", "/aboutt/ and `[a](/aboutt/)`", "none"],
  ["an image", "![a](/aboutt/)", "none"],
  ["a definition that nothing uses", "text\n\n[a]: /aboutt/", "none"],
  ["a longer address", "[a](/aboutt/more)", "none"],
  ["escaped brackets", "\\[a](/aboutt/)", "none"],
  ["escapes in the address", "[a](/about\\t/)", "none"],
  ["a definition that an image uses as well", "[a][r] ![b][r]\n\n[r]: /aboutt/", "inexact"],
  ["the same address with and without escapes", "[a](/x\\_y) [b](/x_y)", "inexact"],
])("%s stays as it is", (_, source, kind) => {
  const from = source.includes("x_y") ? "/x_y" : "/aboutt/";
  expect(linkEdits(source, from, "/about/").kind).toBe(kind);
});

test("an address that would be invalid in Markdown is refused", () => {
  for (const to of ["/a(b", "/a b", "<x>", "/a)[x](/y"]) {
    expect(linkEdits("[a](/aboutt/)", "/aboutt/", to).kind).toBe("inexact");
  }
  expect(changed("[a](/aboutt/)", "/aboutt/", "/a_(b)/")).toBe("[a](/a_(b)/)");
});

const src = "/media/2026/a.webp";
const described = (source: string, alt: string) =>
  applied(
    source,
    altEdits(source, (one) => one === src, alt),
  );

test.each([
  ["an empty one", `a ![](${src}) b`, `a ![A boat](${src}) b`],
  ["another one, with a title", `![x](${src} "![x]")`, `![A boat](${src} "![x]")`],
  ["in a link", `[![IMG](${src})](/x)`, `[![A boat](${src})](/x)`],
  ["by reference", `![x][r]\n\n[r]: ${src}`, `![A boat][r]\n\n[r]: ${src}`],
  [
    "twice, and once in code",
    `\`![](${src})\` ![](${src}) ![b](${src})`,
    `\`![](${src})\` ![A boat](${src}) ![A boat](${src})`,
  ],
  [
    "beside another image",
    `![](${src}) ![](/media/2026/b.webp)`,
    `![A boat](${src}) ![](/media/2026/b.webp)`,
  ],
])("the alt text of an image: %s", (_, source, result) => {
  expect(described(source, "A boat")).toBe(result);
});

test("alt text is replaced exactly or not at all", () => {
  expect(described(`![](${src})`, "A [small] boat")).toBe(`![A \\[small\\] boat](${src})`);
  expect(described(`![r]\n\n[r]: ${src}`, "A boat")).toBe("inexact");
  expect(described("![](/media/2026/b.webp)", "A boat")).toBe("none");
});

/** Every link of a text with its label, by the parser alone. */
function linksOf(source: string): { href: string; text: string }[] {
  const found: { href: string; text: string }[] = [];
  const marked = new Marked({ gfm: true });
  marked.walkTokens(marked.lexer(source), (token: Token) => {
    if (token.type === "link") found.push({ href: String(token["href"]), text: token.raw });
  });
  return found;
}

const piece = fc.oneof(
  fc.constantFrom(
    "[a](/old)",
    "[a](</old>)",
    "[a](/old 'x')",
    "[/old](/other)",
    "[a][r]",
    "[r]: /old",
    "![i](/old)",
    "`[a](/old)`",
    "```",
    "    [a](/old)",
    "<b>/old</b>",
    "<https://x.example/old>",
    "\\[a](/old)",
    "> ",
    "- ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "| a |",
    "/old",
    "](/old)",
    "(",
    ")",
    "[",
    "]",
    "*",
    "&amp;",
  ),
  fc.string({ maxLength: 6 }),
);

test("changing a link changes nothing else, byte for byte", () => {
  const sources = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(sources, (source) => {
      const match = linkEdits(source, "/old", "/new-place");
      const links = linksOf(source);
      const count = links.filter(({ href }) => href === "/old").length;
      expect(match.kind === "none" ? count : 0).toBe(0);
      if (match.kind !== "edits") return;
      for (const { start, end } of match.edits) expect(source.slice(start, end)).toBe("/old");
      const result = applied(source, match);
      const after = linksOf(result);
      expect(after.map(({ href }) => href)).toEqual(
        links.map(({ href }) => (href === "/old" ? "/new-place" : href)),
      );
      // And back again it is the very same text.
      expect(applied(result, linkEdits(result, "/new-place", "/old"))).toBe(source);
    }),
    { numRuns: 400, examples: [["[a](/old)\n[r]: /old"]] },
  );
});
