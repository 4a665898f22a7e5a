import { describe, expect, it } from "vitest";
import { makeAddressMap, parsePreviewPath } from "./preview-address.ts";
import { rewriteCss } from "./rewrite-css.ts";
import { rewriteHtml } from "./rewrite-html.ts";
import { rewriteScript } from "./rewrite-script.ts";

const runId = "01KAJ3X0M0AAAAAAAAAAAAAAAA";
// Documents are for the session, what they load is for the ticket.
const prefixes = { pages: "/D", files: "/P" };
const map = makeAddressMap({ prefixes, siteOrigin: "https://me.example", pagePath: "/about/" });
const html = (source: string) =>
  rewriteHtml(source, map, { has: (path) => path === "/media/full.webp" || path === "/next/" });
const css = (source: string) => rewriteCss(source, map.inFile);
const script = (source: string) => rewriteScript(source, map.inFile);

describe("addresses in pages", () => {
  it("are found however deep a page nests", () => {
    const deep = "<div>".repeat(20_000);
    expect(html(`${deep}<a href="/projects/">x</a>`)).toContain('<a href="/D/projects/">x</a>');
  });

  it.each([
    ['<a href="/projects/">x</a>', '<a href="/D/projects/">x</a>'],
    ["<a href=/projects/>x</a>", '<a href="/D/projects/">x</a>'],
    ["<a href='/w?a=1&amp;b=2'>x</a>", '<a href="/D/w?a=1&amp;b=2">x</a>'],
    ['<a href="next/">x</a>', '<a href="/D/about/next/">x</a>'],
    ['<a href="../projects/#top">x</a>', '<a href="/D/projects/#top">x</a>'],
    ['<a href="https://me.example/projects/">x</a>', '<a href="/D/projects/">x</a>'],
    ['<a href="https://me.example">x</a>', '<a href="/D/">x</a>'],
    ['<img src="/a.png" alt="/a.png">', '<img src="/P/a.png" alt="/a.png">'],
    [
      '<video poster="/p.jpg" src="/v.mp4"></video>',
      '<video poster="/P/p.jpg" src="/P/v.mp4"></video>',
    ],
    ['<object data="/x.pdf"></object>', '<object data="/D/x.pdf"></object>'],
    [
      '<form action="/send"><button formaction="/b">',
      '<form action="/D/send"><button formaction="/D/b">',
    ],
    ['<svg><use xlink:href="/i.svg#a"/></svg>', '<svg><use xlink:href="/P/i.svg#a"/></svg>'],
    ['<img srcset="/a.png 1x, /b,c.png 2x">', '<img srcset="/P/a.png 1x, /P/b,c.png 2x">'],
    [
      '<img srcset="/a-320.webp 320w,/a-640.webp 640w">',
      '<img srcset="/P/a-320.webp 320w,/P/a-640.webp 640w">',
    ],
    ['<link rel=preload imagesrcset="/a.png 1x">', '<link rel=preload imagesrcset="/P/a.png 1x">'],
    [
      '<meta http-equiv="refresh" content="0;url=/new/">',
      '<meta http-equiv="refresh" content="0;url=/D/new/">',
    ],
    [
      "<meta http-equiv=Refresh content=\"5; URL='/n/'\">",
      "<meta http-equiv=Refresh content=\"5; URL='/D/n/'\">",
    ],
    ['<p style="background:url(/a.png)">', '<p style="background:url(/P/a.png)">'],
    ["<p style='background:url(\"/a.png\")'>", '<p style="background:url(&quot;/P/a.png&quot;)">'],
    ["<style>a{background:url('/a.png')}</style>", '<style>a{background:url("/P/a.png")}</style>'],
    [
      '<script type="module">import "/_astro/x.js";</script>',
      '<script type="module">import "/P/_astro/x.js";</script>',
    ],
    [
      '<script type="module" src="/_astro/x.js" integrity="sha256-x"></script>',
      '<script type="module" src="/P/_astro/x.js" ></script>',
    ],
    [
      '<astro-island component-url="/_astro/c.js"></astro-island>',
      '<astro-island component-url="/P/_astro/c.js"></astro-island>',
    ],
    ['<template><img src="/t.png"></template>', '<template><img src="/P/t.png"></template>'],
    [
      '<button data-full="/media/full.webp" data-path="/not/there">',
      '<button data-full="/P/media/full.webp" data-path="/not/there">',
    ],
    ['<b data-next="/next/">', '<b data-next="/D/next/">'],
    [
      '<area href="/a/"><iframe src="/b/"></iframe>',
      '<area href="/D/a/"><iframe src="/D/b/"></iframe>',
    ],
    ['<input type="image" src="/go.png">', '<input type="image" src="/P/go.png">'],
    ['<a href="/media/full.webp">', '<a href="/D/media/full.webp">'],
  ])("%s", (source, expected) => {
    expect(html(source)).toBe(expected);
  });

  it.each([
    '<a href="#top">x</a>',
    '<a href="?page=2">x</a>',
    '<a href="">x</a>',
    '<a href="//cdn.example/x">x</a>',
    '<a href="https://else.example/x">x</a>',
    '<a href="https://me.example.evil/x">x</a>',
    '<a href="mailto:a@b.example">x</a>',
    '<img src="data:image/gif;base64,R0lGOD">',
    '<meta property="og:image" content="/og.png">',
    '<link rel="canonical" href="https://me.example/about/">',
    '<p title="/about/">/about/ href="/x"</p>',
    '<!-- <a href="/x"> -->',
    '<script>const a = "/about/"; // href="/x"\n</script>',
    '<svg><path fill="url(#g)"/><use href="#a"/></svg>',
    "<p>caf\u00e9 &amp; \u{1f600} <b>unclosed",
  ])("leaves %s as it is", (source) => {
    expect(html(source)).toBe(source);
  });

  it("keeps every other byte, line ends too", () => {
    const source =
      '<!doctype html>\r\n<HTML>\r\n<body CLASS=a\r\n>\r\n<a\r\nhref="/x"\r\n>é</a>\r\n';
    expect(html(source)).toBe(source.replace('"/x"', '"/D/x"'));
  });

  it("takes out a policy that was made for the public address", () => {
    const source = `<meta http-equiv="Content-Security-Policy" content="default-src 'self'">`;
    expect(html(source)).toBe(`<meta  content="default-src 'self'">`);
  });
});

describe("addresses in styles", () => {
  it.each([
    ["a{background:url(/a.png)}", "a{background:url(/P/a.png)}"],
    ["a{background:URL( /a.png )}", "a{background:url(/P/a.png)}"],
    ["a{background:url('/a b.png')}", 'a{background:url("/P/a b.png")}'],
    ['@import "/x.css" screen;', '@import "/P/x.css" screen;'],
    ["@import url(/x.css);", "@import url(/P/x.css);"],
    [
      '@font-face{src:url(/f.woff2)format("woff2")}',
      '@font-face{src:url(/P/f.woff2)format("woff2")}',
    ],
    [
      'a{background:image-set("/a.png" 1x,"/b.png" 2x)}',
      'a{background:image-set("/P/a.png" 1x,"/P/b.png" 2x)}',
    ],
    ["a{background:url(\\2f a.png)}", "a{background:url(/P/a.png)}"],
    ["a{b:calc((1px + 2px)*2);c:url(/d)}", "a{b:calc((1px + 2px)*2);c:url(/P/d)}"],
  ])("%s", (source, expected) => {
    expect(css(source)).toBe(expected);
  });

  it.each([
    'a::before{content:"/a.png"}',
    "a{background:url(a.png)}",
    "a{background:url(//cdn.example/a.png)}",
    "a{background:url(data:image/png;base64,AA)}",
    "a{fill:url(#g)}",
    "/* url(/a.png) */",
    "a{broken:url(/x y",
    '@charset "/utf-8";',
  ])("leaves %s as it is", (source) => {
    expect(css(source)).toBe(source);
  });
});

describe("addresses in scripts", () => {
  it.each([
    ['import{a}from"/_astro/a.js"', 'import{a}from"/P/_astro/a.js"'],
    ['import"/_astro/a.js"', 'import"/P/_astro/a.js"'],
    ["await import('/_astro/a.B-1_x.js')", "await import('/P/_astro/a.B-1_x.js')"],
    ['export*from "/_astro/a.js"', 'export*from "/P/_astro/a.js"'],
  ])("%s", (source, expected) => {
    expect(script(source)).toBe(expected);
  });

  it.each(['import"./a.js"', 'fetch("/_astro/a.json")', 'x="from /_astro/a.js"'])(
    "leaves %s as it is",
    (source) => {
      expect(script(source)).toBe(source);
    },
  );
});

describe("preview addresses", () => {
  it("reads run, ticket and path", () => {
    expect(parsePreviewPath(`/_preview/${runId}/`)).toEqual({
      previewId: runId,
      ticket: null,
      path: "/",
    });
    expect(parsePreviewPath(`/_preview/${runId}/~t.x/a%20b/`)).toEqual({
      previewId: runId,
      ticket: "t.x",
      path: "/a b/",
    });
  });

  it.each([
    `/_preview/${runId}/../x`,
    `/_preview/${runId}/%2e%2e/x`,
    `/_preview/${runId}/a%2fb`,
    `/_preview/${runId}/a%5cb`,
    `/_preview/${runId}/a%00`,
    `/_preview/${runId}//a`,
    `/_preview/${runId}/a//b`,
    `/_preview/${runId}/.git/config`,
    `/_preview/${runId}/%`,
    `/_preview/${runId.toLowerCase()}/`,
    `/_PREVIEW/${runId}/`,
    `/_preview/../${runId}/`,
    "/_preview/x/",
  ])("abuse 18: %s is no address", (path) => {
    expect(parsePreviewPath(path)).toBeNull();
  });
});
