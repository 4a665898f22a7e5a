import type { FileEdits } from "./reviewed-site.ts";

/** What a change does to the built template: a snippet for the page /about/, or edits of files. */
export type Change = string | { head: string } | FileEdits;

type Kind = "script" | "origin" | "unread";

const svg = (inner: string, attributes = "") =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"${attributes}>${inner}</svg>`;

/** Each brings something of this kind that a person must see. */
export const hostile: readonly [name: string, kind: Kind, change: Change][] = [
  ["inline script", "script", "<script>alert(1)</script>"],
  ["uppercase script", "script", "<SCRIPT >alert(1)</SCRIPT\n>"],
  ["script without an end", "script", "<script>alert(1)"],
  ["module", "script", "<script type=module>import '/x.js'</script>"],
  ["legacy type", "script", '<script type="text/livescript">alert(1)</script>'],
  ["type in capitals with spaces", "script", '<script type=" Text/JavaScript ">alert(1)</script>'],
  ["type twice", "script", '<script type="text/javascript" type="application/ld+json">1</script>'],
  ["import map", "script", '<script type="importmap">{"imports":{"a":"/b.js"}}</script>'],
  ["speculation rules", "script", '<script type="speculationrules">{"prerender":[]}</script>'],
  ["empty type", "script", '<script type="">alert(1)</script>'],
  ["language only", "script", '<script language="vbscript">x</script>'],
  ["local script file that is not there", "script", '<script src="/x.js"></script>'],
  ["data: script", "script", '<script src="data:text/javascript,alert(1)"></script>'],
  ["picture taken for a script", "script", "<script src=/images/share.png></script>"],
  ["slashes between attributes", "script", "<img/src=x/ onerror=alert(1)>"],
  ["handler", "script", '<button onclick="alert(1)">x</button>'],
  ["handler without quotes in capitals", "script", "<IMG SRC=x ONERROR=alert(1)>"],
  ["handler right after a quotation mark", "script", '<img src="x"onerror="alert(1)">'],
  ["handler after a line feed", "script", "<details open\nontoggle\n=\nalert(1)>x</details>"],
  ["handler after a form feed", "script", "<svg\fonload=alert(1)>"],
  ["handler on a second body", "script", "<body onpageshow=alert(1)>"],
  ["handler on an unknown element", "script", "<xss-x autofocus tabindex=1 onfocus=alert(1)>"],
  ["handler in a select", "script", "<select><option><img src=x onerror=alert(1)></select>"],
  ["style in a select", "script", "<select><style><img src=x onerror=alert(1)></style></select>"],
  [
    "mutated mathml",
    "script",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;' onerror=alert(1)>",
  ],
  ["CDATA in a drawing", "script", "<svg><desc><![CDATA[</desc><script>alert(1)</script>]]></svg>"],
  ["script in a drawing", "script", "<svg><script>alert&#40;1)</script></svg>"],
  ["script by href in a drawing", "script", '<svg><script href="/media/x.webp" /></svg>'],
  ["script by xlink:href", "script", '<svg><script xlink:href="data:,alert(1)"/></svg>'],
  ["script behind a comment", "script", "<!-- --!><script>alert(1)</script>-->"],
  ["script behind what begins no tag", "script", "1 <& 2<script>alert(1)</script>"],
  ["script right behind what begins no tag", "script", "<&<script>alert(1)</script>"],
  ["script right behind a letter that begins no tag", "script", "<é<script>alert(1)</script>"],
  ["handler right behind what begins no tag", "script", "<;<img src=x onerror=alert(1)>"],
  ["script behind what ends none", "script", "<script></scripts>alert(1)</script>"],
  ["script behind the end of another", "script", "<script></x:script>alert(1)</script>"],
  [
    "script in a comment of a script",
    "script",
    "<script><!--<script></script>alert(1)--></script>",
  ],
  ["script in noscript", "script", "<noscript><p title='</noscript><script>alert(1)</script>'>"],
  ["script in a template", "script", "<template><script>alert(1)</script></template>"],
  [
    "handler in a shadow root",
    "script",
    "<div><template shadowrootmode=open><img src=x onerror=alert(1)></template></div>",
  ],
  [
    "textarea left early",
    "script",
    "<textarea></textarea x><img src=x onerror=alert(1)></textarea>",
  ],
  ["javascript: link", "script", '<a href="javascript:alert(1)">x</a>'],
  ["tab and line feed in javascript:", "script", '<a href="java\n\tscript:alert(1)">x</a>'],
  ["entities in javascript:", "script", "<a href='&#x6a;ava&Tab;script&colon;alert(1)'>x</a>"],
  ["control characters before javascript:", "script", '<a href="\u0001 javascript:alert(1)">x</a>'],
  ["javascript: in a form", "script", "<form action=JavaScript:alert(1)><button>x</button></form>"],
  [
    "javascript: in formaction",
    "script",
    "<button form=f formaction=javascript:alert(1)>x</button>",
  ],
  ["javascript: in a frame", "script", "<iframe src=javascript:alert(1)></iframe>"],
  [
    "javascript: in xlink:href",
    "script",
    "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
  ],
  ["javascript: in MathML", "script", "<math href='javascript:alert(1)'><mi>x</mi></math>"],
  [
    "animated javascript:",
    "script",
    "<svg><a><animate attributeName=href values='/;javascript:alert(1)'/><text>x</text></a></svg>",
  ],
  ["set handler", "script", "<svg><set attributeName=onmouseover to=alert(1)></svg>"],
  ["vbscript:", "script", "<a href=vbscript:x>x</a>"],
  ["srcdoc", "script", '<iframe srcdoc="<p>Hello</p>"></iframe>'],
  ["object", "script", '<object data="/images/portrait.svg"></object>'],
  ["embed", "script", "<embed src=/images/portrait.svg>"],
  [
    "frame to a data: document",
    "script",
    '<iframe src="data:text/html,<script>alert(1)</script>"></iframe>',
  ],
  ["frame to a data: drawing", "script", '<iframe src="data:image/svg+xml,x"></iframe>'],
  ["link to a data: document", "script", "<a href='data:text/html;base64,PHNjcmlwdD4='>x</a>"],
  [
    "drawing used from a data: address",
    "script",
    "<svg><use href='data:image/svg+xml,<svg id=x></svg>#x'/></svg>",
  ],
  ["meta refresh", "script", { head: '<meta http-equiv="Refresh" content="3;url=/contact/">' }],
  [
    "meta refresh in noscript",
    "script",
    { head: "<noscript><meta http-equiv=refresh content=0;/></noscript>" },
  ],
  ["base", "script", { head: '<base href="/media/">' }],
  ["modulepreload", "script", { head: '<link rel="modulepreload" href="/x.js">' }],
  ["preloaded script", "script", { head: '<link rel="preload" as="script" href="/x.js">' }],
  ["script for a library", "script", '<div x-data x-init="fetch(1)"></div>'],
  [
    "markup in an attribute",
    "script",
    '<div data-html="&lt;img src=x onerror=alert(1)&gt;"></div>',
  ],
  ["island", "script", '<astro-island component-url="/media/x"></astro-island>'],
  ["data: style sheet", "script", { head: '<link rel=stylesheet href="data:text/css,*{}">' }],
  ["script file", "script", { "x.js": "alert(1)" }],
  ["module file", "script", { "assets/x.mjs": "export {}" }],
  ["WebAssembly", "script", { "x.wasm": "\0asm" }],
  ["page of its own", "script", { "new/index.html": "<!doctype html><p>x</p><script>1</script>" }],
  ["drawing with a script", "script", { "x.svg": svg("<script>alert(1)</script>") }],
  [
    "drawing with a script by prefix",
    "script",
    { "x.svg": '<a:svg xmlns:a="http://www.w3.org/2000/svg"><a:script>1</a:script></a:svg>' },
  ],
  ["drawing with a handler", "script", { "x.svg": svg("", ' onload="alert(1)"') }],
  [
    "drawing with javascript:",
    "script",
    { "x.svg": svg("<a href='javascript:alert(1)'><text>x</text></a>") },
  ],
  [
    "drawing with a page in it",
    "script",
    { "x.svg": svg('<_:script xmlns:_="http://www.w3.org/1999/xhtml">1</_:script>') },
  ],
  [
    "XHTML",
    "script",
    { "x.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><script>1</script></html>' },
  ],
  [
    "XML with a script",
    "script",
    { "x.xml": '<a><script xmlns="http://www.w3.org/1999/xhtml">1</script></a>' },
  ],
  [
    "XML that is transformed",
    "script",
    {
      "rss.xml": (text) => text.replace("?>", '?><?xml-stylesheet href="/x.css" type="text/xsl"?>'),
    },
  ],
  ["XSLT", "script", { "x.xsl": '<stylesheet xmlns="http://www.w3.org/1999/XSL/Transform"/>' }],
  [
    "script in a feed's entry",
    "script",
    {
      "rss.xml": (text) =>
        text.replace("<item>", "<item><description>&lt;img src=x onerror=alert(1)></description>"),
    },
  ],
  [
    "script in JSON",
    "script",
    { "resume.json": (text) => text.replace("{", '{"x":"\\u003cimg src=x onerror=alert(1)>",') },
  ],

  [
    "external script",
    "origin",
    '<script src="https://evil.example/x.js" integrity="sha256-x"></script>',
  ],
  ["picture", "origin", "<img src=https://evil.example/x.png alt=x>"],
  ["srcset", "origin", '<img srcset="/a.webp 1x, https://evil.example/x.webp 2x" alt="">'],
  ["srcset of a source", "origin", '<picture><source srcset="//evil.example/x 480w"></picture>'],
  [
    "preloaded srcset",
    "origin",
    { head: '<link rel=preload as=image imagesrcset="https://evil.example/x 1x">' },
  ],
  [
    "style sheet",
    "origin",
    { head: '<link rel="alternate stylesheet" href="https://evil.example/x.css">' },
  ],
  ["preconnect", "origin", { head: '<link rel=preconnect href="https://evil.example">' }],
  ["dns-prefetch", "origin", { head: "<link rel=dns-prefetch href=//evil.example>" }],
  ["manifest", "origin", { head: "<link rel=manifest href=//evil.example/m.json>" }],
  ["icon", "origin", { head: "<link rel=icon href=//evil.example/i.png>" }],
  [
    "canonical",
    "origin",
    (() => ({
      "about/index.html": (text: string) =>
        text.replace('"https://example.com/about/"', '"https://evil.example/about/"'),
    }))(),
  ],
  ["link", "origin", '<a href="https://evil.example/">x</a>'],
  ["link by protocol", "origin", '<a href="//evil.example/">x</a>'],
  ["link by backslashes", "origin", "<a href='\\\\evil.example/'>x</a>"],
  ["link by mixed slashes", "origin", "<a href='/\\evil.example/'>x</a>"],
  ["link with a tab between slashes", "origin", "<a href='/\t/evil.example/'>x</a>"],
  ["link with a line feed as entity", "origin", "<a href='/&#10;/evil.example/'>x</a>"],
  ["link without slashes", "origin", "<a href='https:evil.example'>x</a>"],
  ["link by http", "origin", "<a href='http:/evil.example'>x</a>"],
  [
    "link with the site's name before an @",
    "origin",
    "<a href='https://example.com@evil.example/'>x</a>",
  ],
  ["link to another port", "origin", "<a href='https://example.com:8443/'>x</a>"],
  ["link to a subdomain", "origin", "<a href='https://evil.example.com/'>x</a>"],
  [
    "link to a name that begins alike",
    "origin",
    "<a href='https://example.com.evil.example/'>x</a>",
  ],
  ["link by IDN", "origin", "<a href='https://exämple.com/'>x</a>"],
  ["link by fullwidth letters", "origin", "<a href='https://ｅvil.example/'>x</a>"],
  ["link to a number", "origin", "<a href='https://2130706433/'>x</a>"],
  ["link in capitals", "origin", "<A HREF=HTTPS://EVIL.EXAMPLE/>x</A>"],
  ["area", "origin", '<map name=m><area href="https://evil.example/" alt=x></map>'],
  ["ping", "origin", '<a href="/" ping="/a https://evil.example/">x</a>'],
  ["form", "origin", '<form action="https://evil.example/"><input name=a></form>'],
  ["form of the program", "origin", '<form action="/api/adminauth/logout" method=post></form>'],
  ["formaction", "origin", '<button formaction="//evil.example/">x</button>'],
  ["frame", "origin", '<iframe src="https://evil.example/" title=x></iframe>'],
  ["film's poster", "origin", "<video poster=//evil.example/p.png></video>"],
  ["track", "origin", "<video><track src=//evil.example/t.vtt></video>"],
  ["sound", "origin", "<audio><source src=https://evil.example/a.mp3></audio>"],
  ["input picture", "origin", "<input type=image src=https://evil.example/i.png alt=x>"],
  ["background", "origin", "<table background=//evil.example/b.png>"],
  ["image in a drawing", "origin", "<svg><image xlink:href='https://evil.example/i.png'/></svg>"],
  ["use", "origin", "<svg><use href='https://evil.example/i.svg#x'/></svg>"],
  ["filter image", "origin", "<svg><filter><feImage href=//evil.example/i.png /></filter></svg>"],
  ["fill", "origin", "<svg><rect fill='url(https://evil.example/i.svg#x)'/></svg>"],
  [
    "policy",
    "origin",
    { head: '<meta http-equiv="Content-Security-Policy" content="img-src https://evil.example">' },
  ],
  ["style element", "origin", "<style>a{background:url(https://evil.example/x)}</style>"],
  ["import in a style element", "origin", "<style>@import'//evil.example/x.css'</style>"],
  ["import behind what ends no style", "origin", "<style></styles>@import'//evil.example'</style>"],
  ["style attribute", "origin", `<p style="background:url('//evil.example/x')">x</p>`],
  [
    "style attribute with entities",
    "origin",
    "<p style='background:url(&#104;ttps://evil.example/x)'>x</p>",
  ],
  [
    "style with escapes",
    "origin",
    "<style>a{background:u\\72l(\\68ttps://evil.example/x)}</style>",
  ],
  [
    "style with an escaped import",
    "origin",
    '<style>@im\\70ort "\\2f\\2f evil.example/x";</style>',
  ],
  ["style with comments", "origin", '<style>@import/**/"//evil.example/x";</style>'],
  [
    "style with a comment in a string",
    "origin",
    `<style>a{content:"/*";background:url(//evil.example/x)}b{content:"*/"}</style>`,
  ],
  ["image-set", "origin", `<style>a{background:image-set("https://evil.example/x" 1x)}</style>`],
  ["custom property", "origin", "<style>:root{--x:url(//evil.example/x)}</style>"],
  ["font", "origin", "<style>@font-face{font-family:x;src:url(//evil.example/x)}</style>"],
  [
    "style in a drawing with entities",
    "origin",
    "<svg><style>@import&#32;'&#47;/evil.example';</style></svg>",
  ],
  ["style sheet file", "origin", { "x.css": "a{background:url(//evil.example/x)}" }],
  [
    "style with backslashes",
    "origin",
    { "x.css": String.raw`a{background:url(\\\\evil.example/x)}` },
  ],
  [
    "line continued in a string",
    "origin",
    { "x.css": 'a{background:url("//\\\nevil.example/x")}' },
  ],
  [
    "unquoted address with an escaped tab",
    "origin",
    { "x.css": "a{background:url(ht\\9 tps://evil.example/x)}" },
  ],
  [
    "escaped name and slash",
    "origin",
    { "x.css": "a{background:\\75 R\\l(\\/\\/evil.example/x)}" },
  ],
  ["tab in a string", "origin", { "x.css": 'a{background:url("ht\ttps://evil.example/x")}' }],
  ["three slashes", "origin", { "x.css": 'a{background:url("///evil.example/x")}' }],
  [
    "control character in a srcset",
    "origin",
    '<img srcset="/a 1x, \u0001//evil.example/x 2x" alt="">',
  ],
  [
    "client hints",
    "script",
    { head: '<meta http-equiv="delegate-ch" content="sec-ch-ua https://evil.example">' },
  ],
  ["proof of ownership", "origin", { "google1.html": "google-site-verification: google1.html" }],
  ["drawing that loads", "origin", { "x.svg": svg("<image href='https://evil.example/x'/>") }],
  [
    "drawing with a style",
    "origin",
    { "x.svg": svg("<style><![CDATA[a{fill:url(//evil.example/x)}]]></style>") },
  ],
  [
    "address in a feed",
    "origin",
    {
      "rss.xml": (text) =>
        text.replace("<item>", "<item><comments>https://evil.example/</comments>"),
    },
  ],
  [
    "link in a feed's entry",
    "origin",
    {
      "rss.xml": (text) =>
        text.replace(
          "<item>",
          '<item><description>&lt;a href="https://evil.example/"></description>',
        ),
    },
  ],
  [
    "address in a site map",
    "origin",
    {
      "sitemap-0.xml": (text) =>
        text.replace("<url>", "<url><loc>https://evil.example/</loc></url><url>"),
    },
  ],
  [
    "address in data",
    "origin",
    '<script type="application/json">{"api":"https:\\/\\/evil.example"}</script>',
  ],
  [
    "address in an attribute for scripts",
    "origin",
    '<div data-endpoint="https://evil.example/"></div>',
  ],
  [
    "address in JSON",
    "origin",
    { "resume.json": (text) => text.replace("{", '{"x":"https://evil.example/",') },
  ],
  ["web manifest", "origin", { "x.webmanifest": '{"start_url":"https://evil.example/"}' }],
  [
    "link preview",
    "origin",
    { head: '<meta property="og:image" content="https://evil.example/x.png">' },
  ],
  ["other mail address", "origin", '<a href="mailto:evil@evil.example">mara@example.com</a>'],
  [
    "mail address as a copy",
    "origin",
    '<a href="mailto:mara@example.com?bcc=evil%40evil.example">x</a>',
  ],
  ["telephone", "origin", '<a href="tel:+4670000001">x</a>'],
  ["other scheme", "origin", '<a href="intent://evil.example#Intent;end">x</a>'],
  ["social ownership", "origin", { head: '<meta name="google-site-verification" content="x">' }],
  ["app association", "origin", { ".well-known/assetlinks.json": "[]" }],
  ["link in noscript", "origin", "<noscript><img src=//evil.example/x alt=></noscript>"],
  ["link in a comment of IE", "origin", "<!--[if IE]><img src=//evil.example/x><![endif]-->"],

  ["program", "unread", { "x.php": "<?php ?>" }],
  ["server side includes", "unread", { "x.shtml": "<p>x</p>" }],
  ["file without a kind", "unread", { _redirects: "/* https://evil.example 301" }],
  ["archive", "unread", { "index.html.gz": "x" }],
  ["PDF", "unread", { "x.pdf": "%PDF" }],
  [
    "page in UTF-16",
    "unread",
    { "x.html": Buffer.from("\ufeff<script>alert(1)</script>", "utf16le") },
  ],
  ["page in another encoding", "unread", { head: "<meta charset=iso-2022-jp>" }],
  ["page that shifts its encoding", "unread", "<p>\u001b$B</p>"],
  [
    "drawing with entities",
    "unread",
    { "x.svg": `<!DOCTYPE svg [<!ENTITY x "<script>1</script>">]>${svg("&x;")}` },
  ],
  [
    "drawing in UTF-16 without a mark",
    "unread",
    { "x.svg": Buffer.from(svg("<script>1</script>"), "utf16le") },
  ],
  ["style sheet in another encoding", "unread", { "x.css": '@charset "gbk";a{}' }],
  [
    "address after one in a comment",
    "origin",
    { "x.css": "/*url(*/a{background:url(//evil.example/x)}" },
  ],
  [
    "drawing in another encoding",
    "unread",
    { "x.svg": `<?xml version="1.0" encoding="utf-7"?>${svg("")}` },
  ],
  ["drawing that is none", "unread", { "x.svgz": "\u001f\u008b" }],
  ["page that is too large", "unread", { "x.html": `<p>${"x".repeat(4 * 1024 * 1024)}` }],
  ["tags within tags", "unread", { "x.html": "<a/b=".repeat(20_000) }],
  ["text for a style sheet", "unread", { head: '<link rel=stylesheet href="/robots.txt">' }],
];

/** None of these is worth a person's time. */
export const innocent: readonly [name: string, change: Change][] = [
  ["text", "<p>We’ve moved to a new studio: 5 < 6 & all is well.</p>"],
  ["text about script", "<p>&lt;script&gt;alert(1)&lt;/script&gt; is how it was done in 1999.</p>"],
  [
    "code",
    "<pre><code>&lt;a href=&quot;https://evil.example&quot; onclick=&quot;go()&quot;&gt;</code></pre>",
  ],
  ["address as text", "<p>Formerly at https://old.example and //old.example.</p>"],
  [
    "words that look like code",
    '<p title="JavaScript: the good parts" aria-label="data: what it is">onclick=x</p>',
  ],
  ["heading and list", "<h2 id=more>More</h2><ul><li>One<li>Two</ul>"],
  ["link to a page", '<a href="/contact/">Write to me</a>'],
  [
    "link with a fragment and query",
    '<a class="button" href="/projects/?from=about#list">Projects</a>',
  ],
  ["relative link", '<a href="../contact/">Contact</a><a href="#main">Up</a>'],
  ["link to the site in full", '<a href="https://example.com/about/">About</a>'],
  ["known mail address", '<a href="mailto:mara@example.com?subject=Hello%20there">Write</a>'],
  ["citation", '<blockquote cite="https://elsewhere.example/">Words</blockquote>'],
  [
    "local picture",
    '<img src="/images/new.webp" srcset="/images/new-480.webp 480w, /images/new.webp 960w" sizes="50vw" alt="A boat" width="960" height="640" loading="lazy">',
  ],
  [
    "picture element",
    '<picture><source type="image/avif" srcset="/images/a.avif"><img src="/images/a.png" alt=""></picture>',
  ],
  ["film", '<video src="/media/x.mp4" poster="/media/x.webp" controls preload="none"></video>'],
  [
    "drawing in the page",
    svg(
      '<title>Arrow</title><path d="M0 0L9 9" fill="none" stroke="currentColor" transform="translate(1 2)"/><use href="#arrow"/>',
    ),
  ],
  [
    "drawing with a local gradient",
    svg('<linearGradient id="g"/><rect fill="url(#g)" clip-path="url(#c)"/>'),
  ],
  [
    "placeholder picture",
    '<p style="background-image:url(data:image/webp;base64,UklGRh4AAABXRUJQ)">x</p>',
  ],
  ["style attribute", '<p style="--i:3;color:light-dark(#222,#eee);margin:0 auto">x</p>'],
  [
    "style element",
    '<style>.a::before{content:"// ";color:red}.b{background:url(/images/share.png)}</style>',
  ],
  [
    "drawing in a style",
    `<style>.a{mask:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E")}</style>`,
  ],
  [
    "details and dialog",
    "<details><summary>Once more</summary><p>Here</p></details><dialog open>Hi</dialog>",
  ],
  [
    "table",
    "<table><caption>Prices</caption><tr><th scope=row>Hour</th><td>90 €</td></tr></table>",
  ],
  [
    "definitions and times",
    '<dl><dt>Since</dt><dd><time datetime="2026-11">November</time></dd></dl>',
  ],
  [
    "form to a page",
    '<form action="/projects/" role="search"><input type="search" name="q" placeholder="https://"><button>Go</button></form>',
  ],
  [
    "form of contact",
    {
      "contact/index.html": (text) =>
        text.replace("</main>", '<form><input name="x" value="y"></form></main>'),
    },
  ],
  [
    "structured data",
    '<script type="application/ld+json">{"@type":"Person","sameAs":["https://new.example/me"]}</script>',
  ],
  [
    "microdata",
    '<div itemscope itemtype="https://schema.org/Person"><span itemprop="name">M</span></div>',
  ],
  [
    "data attributes",
    '<div data-accent="ink" data-count="3" data-range="a:b" data-ratio="16/9"></div>',
  ],
  [
    "title and description",
    {
      "about/index.html": (text) =>
        text
          .replace(/<title>[^<]*/, "<title>Mara: about")
          .replace(/(name="description" content=")[^"]*/, "$1Who: me. What: design."),
    },
  ],
  ["comment", "<!-- made with care: see the notes -->"],
  [
    "style sheet under another name",
    {
      "_astro/style.D8LcsJaI.css": null,
      "_astro/style.Xx1.css":
        "body{color:red}a:not([href^='http']){color:blue}@font-face{font-family:x;src:url(/_astro/x.woff2) format(\"woff2\")}",
    },
  ],
  [
    "pictures and fonts",
    { "images/new.webp": "RIFF", "images/a.avif": "x", "fonts/x.woff2": "wOF2" },
  ],
  [
    "drawing of a drawing program",
    {
      "images/a.svg": `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">${svg('<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:cc="http://creativecommons.org/ns#"><cc:Work rdf:about="https://x.example/"><dc:type rdf:resource="http://purl.org/dc/dcmitype/StillImage"/></cc:Work></rdf:RDF></metadata><style>.a{fill:#123}</style><path class="a" d="M0 0h9"/>')}`,
    },
  ],
  [
    "plain files",
    { "humans.txt": "Made by https://evil.example", "robots.txt": "User-agent: *\nAllow: /\n" },
  ],
  [
    "text in the data",
    {
      "resume.json": (text) =>
        text.replace("{", '{"note":"Wrote “JavaScript: the good parts” (not really)",'),
    },
  ],
  [
    "feed",
    {
      "rss.xml": (text) =>
        text.replace(
          "<item>",
          '<item><title>New</title><link>https://example.com/changelog/#new</link><description>&lt;p&gt;More &lt;a href="https://example.com/about/"&gt;here&lt;/a&gt;.&lt;/p&gt;</description></item><item>',
        ),
    },
  ],
  [
    "site map",
    {
      "sitemap-0.xml": (text) =>
        text.replace("<url>", "<url><loc>https://example.com/new/</loc></url><url>"),
    },
  ],
];
