import type { PageFixture } from "../fixture.ts";

const rule = (name: string) => ({ evidence: { rule: name } });

export const cases: PageFixture = {
  "page.html-invalid": {
    bad: [
      { main: `<p class="a" class="b">x</p>`, ...rule("duplicate-attribute") },
      { main: `<p title="a"b">x</p>`, ...rule("unexpected-character-in-attribute-name") },
      {
        main: `<div/><p>x</p></div>`,
        count: 1,
        ...rule("non-void-html-element-start-tag-with-trailing-solidus"),
      },
      { main: `<div><p>x</p>`, ...rule("unclosed-element") },
      { main: `<a href="/about/">One <a href="/">two</a></a>`, ...rule("unclosed-element") },
      { main: `<table><div>x</div><tr><td>y</td></tr></table>`, ...rule("misplaced-in-table") },
      { main: `<?php echo $title; ?>`, ...rule("unexpected-question-mark-instead-of-tag-name") },
      { swap: ["<!doctype html>", ""], ...rule("missing-doctype") },
      {
        why: "the head has ended",
        swap: [`<link rel="canonical"`, `<p>x</p><link rel="canonical"`],
        ...rule("outside-head"),
      },
      {
        why: "a refresh without content",
        head: `<meta http-equiv="refresh">`,
        message: "has no content",
        ...rule("useless-refresh"),
      },
      {
        why: "a refresh without a time, for visitors without scripts",
        head: `<noscript><meta http-equiv="Refresh" content="url=/about/"></noscript>`,
        message: "has no time",
        ...rule("useless-refresh"),
      },
    ],
    good: [
      {
        why: "the first line of XHTML",
        swap: ["<!doctype html>", `<?xml version="1.0" encoding="utf-8"?>\n<!doctype html>`],
      },
      { main: `<ul><li>One<li>Two</ul><p>Three<p>Four` },
      { main: `<p>I <3 boats & harbours &nosuch; &copy 2026</p>` },
      { main: `<br/><img src="/p.png" alt="A" width="1" height="1"/><svg><path d="M0 0"/></svg>` },
      { main: `<a href=/about/?a=b>x y</a><table><tr><td>1<td>2</table>` },
      { main: `<p><b>bold</b><details><summary>s</summary>t</details></p>` },
      { main: `<template><li>x</template><select><option>a<option>b</select>` },
      {
        why: "a refresh for visitors without scripts",
        head: `<noscript><meta http-equiv="refresh" content="0;url=/about/"></noscript>`,
      },
      { why: "a reload", head: `<meta http-equiv="refresh" content=".5">` },
      { main: `<p>a</p><!-- a -- b --><my-part a="1"></my-part>` },
    ],
  },
};
