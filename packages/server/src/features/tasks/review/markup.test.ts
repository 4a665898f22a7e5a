import { array, assert, boolean, constantFrom, property } from "fast-check";
import { parse } from "parse5";
import { adapter } from "parse5-htmlparser2-tree-adapter";
import { expect, test } from "vitest";
import { readMarkup } from "./markup.ts";
import { MarkupTooComplex } from "./tags.ts";
import type { SiteFingerprint } from "./fingerprint.ts";

/** Pieces that pages are broken with. */
const pieces = (
  "<img|<svg>|</svg>|<script>|</script>|<scr|ipt>|<style>|</style>|<a|<iframe| src=| href=| srcdoc=" +
  "|x onerror=go()|onload=go()|=|\"|'|`|>|<|/| |\n|\t|\f|\0|<!--|-->|--!>|<!|<?|</|<![CDATA[|]]>" +
  "|<select>|</select>|<option>|<math>|<mtext>|<mglyph>|<title>|</title>|<textarea>|</textarea>" +
  "|<template>|</template>|<div>|<table>|<td>|<noscript>|</noscript>|<xmp>|<plaintext>|<desc>" +
  "|</scripts>|</x:script>|<x:script>|</styles>|&|é|;|<p>" +
  "|javascript:go()|java\tscript:go()|&Tab;javascript&colon;go()|//evil.example/|\\/evil.example" +
  "|https:evil.example|&#47;/evil.example|&lt;|&quot;|type=text/javascript|application/json"
).split("|");

interface Node {
  name?: string;
  attribs?: Record<string, string>;
  children?: Node[];
  data?: string;
}

/** What a parser makes of a text, as far as it matters here: a kind for each thing that does. */
function* mattering(node: Node): Generator<SiteFingerprint["kind"]> {
  const { attribs = {}, name } = node;
  if (name === "script" && !attribs["type"]?.includes("json") && node.children?.[0]?.data?.trim()) {
    yield "script";
  }
  for (const [key, value] of Object.entries(attribs)) {
    if (/^on[a-z]+$/.test(key)) yield "script";
    if (key !== "href" && key !== "src") continue;
    const url = URL.parse(value, "https://example.com/a/");
    if (url?.protocol === "javascript:") yield "script";
    else if (url?.host === "evil.example") yield "origin";
  }
  for (const child of node.children ?? []) yield* mattering(child);
}

function kindsOf(text: string): Set<SiteFingerprint["kind"]> {
  const kinds = new Set<SiteFingerprint["kind"]>();
  const sink = ({ kind }: SiteFingerprint) => kinds.add(kind);
  try {
    readMarkup(text, { path: "/a/", files: {}, host: "example.com", sink });
  } catch (error) {
    if (!(error instanceof MarkupTooComplex)) throw error;
    return new Set(["script", "origin", "unread"]);
  }
  return kinds;
}

test("whatever a parser makes of broken markup, with scripts or without, has been seen", () => {
  const markup = array(constantFrom(...pieces), { maxLength: 25 }).map((one) => one.join(""));
  assert(
    property(markup, boolean(), (text, scriptingEnabled) => {
      const document = parse(text, { treeAdapter: adapter, scriptingEnabled });
      const seen = kindsOf(text);
      for (const kind of mattering(document as Node)) expect(seen).toContain(kind);
    }),
    // Found by chance once in 25,000 texts.
    { numRuns: 2000, examples: [["<&lt;<script><img", false]] },
  );
});

test.each([
  ["an attribute without an end", (n: number) => '<a b="x" '.repeat(n)],
  ["values that never end", (n: number) => "<a b=<a".repeat(n)],
  ["quotation marks", (n: number) => `<style>${'"\\'.repeat(n)}`],
  ["addresses within addresses", (n: number) => `<style>${"url(".repeat(n)}`],
  ["imports within imports", (n: number) => `<style>${"@import url(".repeat(n)}`],
  ["scripts within scripts", (n: number) => "<script>".repeat(n)],
  ["styles within styles", (n: number) => "<style>".repeat(n)],
  ["elements within elements", (n: number) => "<b><p>".repeat(n)],
  ["names within names", (n: number) => "<a".repeat(n)],
  ["comments", (n: number) => "<!--".repeat(n)],
  ["character references", (n: number) => `<a b="${"&amp;".repeat(n)}">`],
  ["markup in attributes", (n: number) => `<a b='${"&lt;a b=".repeat(n)}'>`],
  ["addresses in a list", (n: number) => `<img srcset="${"//x ".repeat(n)}">`],
])("a page of 2 MiB of %s takes no longer than its size explains", (_, make) => {
  const text = make(2 ** 21).slice(0, 2 ** 21);
  const started = process.cpuUsage();
  kindsOf(text);
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(5000);
});
