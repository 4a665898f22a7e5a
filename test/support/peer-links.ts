/**
 * What the tests of other link checkers are about, as cases of our own: linkinator (MIT), lychee
 * (Apache-2.0 or MIT), html-proofer (MIT) and broken-link-checker (MIT). Each case is one page.
 * `{other}` is another site.
 */
export interface LinkCase {
  peer: "linkinator" | "lychee" | "html-proofer" | "broken-link-checker";
  what: string;
  /** In the body, or in the head if it can only be there. */
  html: string;
  head?: string;
  /** The checks of which one has to report it; none for a page without a defect. */
  told?: RegExp;
}

/** Only checks of addresses: another defect of the page, such as a missing description, is none. */
const anyBroken =
  /^(?:link\.(?!generic)|asset\.|ext\.|img\.(?:broken|srcset)|meta\.(?:og-image|jsonld)|i18n\.)/;

/** A broken address in an element; `GONE` is replaced with one. */
const broken = (peer: LinkCase["peer"], tags: readonly string[]): LinkCase[] =>
  tags.map((tag) => ({
    peer,
    what: `a missing address in ${tag}`,
    html: tag.replace("GONE", `/gone-${peer}-${tags.indexOf(tag)}`),
    told: anyBroken,
  }));

const linkinator: LinkCase[] = [
  ...broken("linkinator", [
    `<a href="GONE">a</a>`,
    `<a href="gone-beside.html">a</a>`,
    `<img src="GONE.png" alt="A map" width="9" height="9">`,
    `<img src="/ok.png" srcset="GONE.png 2x" alt="A map" width="9" height="9">`,
    `<picture><source srcset="GONE.webp"><img src="/ok.png" alt="A map" width="9" height="9"></picture>`,
    `<iframe src="GONE" title="A map"></iframe>`,
    `<script src="GONE.js"></script>`,
    `<link rel="alternate" href="GONE" hreflang="de">`,
    `<link rel="stylesheet" href="GONE.css">`,
    `<div style="background: url(GONE.png)">a</div>`,
    `<style>p { background: url("GONE.png") }</style>`,
    `<style>@import "GONE.css";</style>`,
    `<blockquote cite="GONE">a</blockquote>`,
    `<meta http-equiv="refresh" content="9; url=GONE">`,
    `<meta property="og:image" content="GONE.png">`,
    `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Person","name":"A","url":"GONE"}</script>`,
  ]),
  {
    peer: "linkinator",
    what: "a base",
    head: `<base href="/deep/">`,
    html: `<a href="none.html">a</a>`,
    told: /^link\./,
  },
  {
    peer: "linkinator",
    what: "a missing fragment",
    html: `<a href="#nowhere">a</a>`,
    told: /^link\.fragment/,
  },
  {
    peer: "linkinator",
    what: "a missing fragment of another page",
    html: `<a href="/ok/#nowhere">a</a>`,
    told: /^link\.fragment/,
  },
  {
    peer: "linkinator",
    what: "a fragment of a missing page",
    html: `<a href="/gone-f#x">a</a>`,
    told: /^link\./,
  },
  {
    peer: "linkinator",
    what: "a missing fragment of another site",
    html: `<a href="{other}/ok/#nowhere">a</a>`,
    told: /^ext\.fragment/,
  },
  {
    peer: "linkinator",
    what: "a page of another site",
    html: `<a href="{other}/404">a</a>`,
    told: /^ext\./,
  },
  {
    peer: "linkinator",
    what: "an error of another site",
    html: `<a href="{other}/500">a</a>`,
    told: /^ext\./,
  },
  {
    peer: "linkinator",
    what: "no server",
    html: `<a href="http://127.0.0.1:9/">a</a>`,
    told: /^ext\./,
  },
  {
    peer: "linkinator",
    what: "what is no address",
    html: `<a href="http://a b:c:d/">a</a>`,
    told: /^link\.malformed/,
  },
  {
    peer: "linkinator",
    what: "a redirect to what is missing",
    html: `<a href="/to-gone">a</a>`,
    told: /^link\./,
  },
  {
    peer: "linkinator",
    what: "what has been removed",
    html: `<a href="{other}/410">a</a>`,
    told: /^ext\./,
  },
];

const lychee: LinkCase[] = [
  ...broken("lychee", [
    `<a href="/root/GONE">a</a>`,
    `<video src="/ok.mp4" poster="GONE.png"></video>`,
    `<link rel="preload" as="image" href="GONE.png">`,
    `<link rel="preload" as="image" imagesrcset="GONE.png 1x">`,
    `<a href="/ok/other">a</a>`,
    `<img src="/ok.png" srcset="/ok.png 1x, GONE.png 3x" alt="A map" width="9" height="9">`,
  ]),
  {
    peer: "lychee",
    what: "a fragment in other case",
    html: `<a href="/ok/#HERE">a</a>`,
    told: /^link\.fragment/,
  },
  {
    peer: "lychee",
    what: "an encoded fragment",
    html: `<a href="/ok/#%C3%BCberall">a</a>`,
    told: /^link\.fragment/,
  },
  {
    peer: "lychee",
    what: "a semicolon",
    html: `<a href="https;//example.com/one">a</a>`,
    told: /^link\./,
  },
  {
    peer: "lychee",
    what: "a bracket",
    html: `<a href="https://example]org/two">a</a>`,
    told: /^link\./,
  },
  { peer: "lychee", what: "502", html: `<a href="{other}/502">a</a>`, told: /^ext\./ },
  {
    peer: "lychee",
    what: "half an email address",
    html: `<a href="mailto:ada@">a</a>`,
    told: /^link\.mailto/,
  },
  { peer: "lychee", what: "a loop", html: `<a href="/loop">a</a>`, told: /^link\.redirect-loop/ },
];

const proofer = (what: string, html: string, told?: RegExp, head?: string): LinkCase => ({
  peer: "html-proofer",
  what,
  html,
  ...(told && { told }),
  ...(head !== undefined && { head }),
});

const image = /^img\./;
const htmlProofer: LinkCase[] = [
  proofer("a missing fragment", `<a href="#noHash">a</a>`, /^link\.fragment/),
  proofer("a fragment that begins with a number", `<a href="#25-method">a</a>`, /^link\.fragment/),
  proofer("a fragment and a query", `<a href="/ok/?a=b#example">a</a>`, /^link\.fragment/),
  proofer(
    "a fragment in other case",
    `<a href="#MainMenu">a</a><nav id="mainMenu"></nav>`,
    /^link\.fragment/,
  ),
  proofer("a relative address", `<a href="./notreal.html">a</a>`, /^link\./),
  proofer("an address from the root", `<a href="/broken_root.html">a</a>`, /^link\./),
  proofer("a file in other case", `<a href="/OK.png">a</a>`, /^link\./),
  proofer("no directory", `<a href="/folder-php/">a</a>`, /^link\./),
  proofer("a directory without a slash", `<a href="/ok">a</a>`, /^link\./),
  proofer("no email address", `<a href="mailto:">a</a>`, /^link\.mailto/),
  proofer("no whole email address", `<a href="mailto:octocat">a</a>`, /^link\.mailto/),
  proofer("no phone number", `<a href="tel:">a</a>`, /^link\.tel/),
  proofer("an empty address", `<a href="">a</a>`, /^link\.empty/),
  proofer("a hash", `<a href="#">a</a>`, /^link\.empty/),
  proofer("a link without an address", `<a>a</a>`, /^link\./),
  proofer("what is no address", `<a href="http://github.com:port/">a</a>`, /^link\.malformed/),
  proofer("no address in an array", `<a href="http://127.0.0.1:____">a</a>`, /^link\.malformed/),
  proofer("an IP address", `<a href="http://127.0.0.1:9/x">a</a>`, /^ext\./),
  proofer("a source", `<video><source src="/gone-hp.mp4"></video>`, /^asset\./),
  proofer("an image without an address", `<img alt="A map" width="9" height="9">`, image),
  proofer("an image with an empty address", `<img src="" alt="A map" width="9" height="9">`, image),
  proofer(
    "an image in other case",
    `<img src="/OK.PNG" alt="A map" width="9" height="9">`,
    /^(?:img|link)\./,
  ),
  proofer(
    "an image of another site",
    `<img src="{other}/404.png" alt="A map" width="9" height="9">`,
    /^(?:img|ext)\./,
  ),
  proofer("a missing image", `<img src="/gone-hp.png" alt="A map" width="9" height="9">`, image),
  proofer("an image without a text", `<img src="/ok.png" width="9" height="9">`, image),
  proofer(
    "an image of a screen",
    `<img src="/Screen Shot 2012-08-09.png" alt="A map" width="9" height="9">`,
    image,
  ),
  proofer(
    "a srcset without a text",
    `<img srcset="/ok.png 1x" src="/ok.png" width="9" height="9">`,
    image,
  ),
  proofer(
    "a srcset with a density",
    `<img srcset="/gone-hp-2.png 2x" src="/ok.png" alt="A map" width="9" height="9">`,
    image,
  ),
  proofer(
    "a source's srcset",
    `<picture><source srcset="/gone-hp-3.png 1x, /gone-hp-4.png 2x"><img src="/ok.png" alt="A map" width="9" height="9"></picture>`,
    image,
  ),
  proofer(
    "a map that isn't there",
    `<img usemap="#none" src="/ok.png" alt="A map" width="9" height="9">`,
    anyBroken,
  ),
  proofer("a missing script", `<script src="/gone-hp.js"></script>`, /^asset\./),
  proofer("a script of another site", `<script src="{other}/404.js"></script>`, /^(?:asset|ext)\./),
  proofer(
    "a missing icon",
    "a",
    /^(?:meta\.favicon|asset)/,
    `<link rel="icon" href="/gone-hp.ico">`,
  ),
  proofer(
    "a missing icon of another site",
    "a",
    /^(?:meta\.favicon|asset|ext)/,
    `<link rel="icon" href="{other}/404.ico">`,
  ),
  proofer("an empty image of a preview", "a", /^meta\.og/, `<meta property="og:image" content="">`),
  proofer("no image of a preview", "a", /^meta\.og/, `<meta property="og:image">`),
  proofer(
    "a missing image of a preview",
    "a",
    /^meta\.og/,
    `<meta property="og:image" content="/gone-og.png">`,
  ),
  proofer(
    "a missing image of another site",
    "a",
    /^(?:meta\.og|ext)/,
    `<meta property="og:image" content="{other}/404.png">`,
  ),
  proofer("an empty address of a preview", "a", /^meta\.og/, `<meta property="og:url" content="">`),
  proofer("no address of a preview", "a", /^meta\.og/, `<meta property="og:url">`),
  proofer(
    "a missing address of a preview",
    "a",
    /^(?:meta\.og|ext|link)/,
    `<meta property="og:url" content="{other}/404">`,
  ),
  proofer(
    "a script of another site without a hash",
    `<script src="https://cdn.example.net/x@1.2.3/x.js"></script>`,
    /^sec\.sri/,
  ),
  proofer(
    "a style sheet of another site without a hash",
    "a",
    /^sec\.sri/,
    `<link rel="stylesheet" href="https://cdn.example.net/x@1.2.3/x.css">`,
  ),
  proofer("an error after a redirect", `<a href="{other}/to-404">a</a>`, /^ext\./),
];

const brokenLinkChecker: LinkCase[] = broken("broken-link-checker", [
  `<map name="m"><area href="GONE" alt="a"></map>`,
  `<audio src="GONE.mp3"></audio>`,
  `<embed src="GONE.pdf">`,
  `<form action="GONE"><button>Go</button></form>`,
  `<iframe src="GONE" title="a"></iframe>`,
  `<img longdesc="GONE" src="/ok.png" alt="A map" width="9" height="9">`,
  `<input type="image" src="GONE.png" alt="Go">`,
  `<ins cite="GONE">a</ins>`,
  `<del cite="GONE">a</del>`,
  `<q cite="GONE">a</q>`,
  `<object data="GONE.pdf"></object>`,
  `<video src="/ok.mp4"><track src="GONE.vtt"></video>`,
  `<video src="GONE.mp4"></video>`,
  `<noscript><meta http-equiv="refresh" content="0;url=GONE"></noscript>`,
]);

const clean = (peer: LinkCase["peer"], htmls: readonly string[], head?: string): LinkCase[] =>
  htmls.map((html) => ({ peer, what: `nothing wrong: ${html}`, html, ...(head && { head }) }));

const img = (attributes: string) => `<img ${attributes} alt="A map" width="9" height="9">`;

const withoutDefects: LinkCase[] = [
  ...clean("linkinator", [
    `<a href="/ok/">a</a>`,
    `<a href="../ok/">a</a>`,
    `<a href="/ok/#here">a</a>`,
    `<a href="{other}/ok/">a</a>`,
    `<a href="{other}/ok/#here">a</a>`,
    `<a href="{other}/head-405">a</a>`,
    `<a href="{other}/999">a</a>`,
    `<a href="mailto:ada@example.com">a</a><a href="irc://irc.example.com">b</a><a href="data:text/plain,a">c</a>`,
    img(`src="/ok.png"`),
    `<picture><source srcset="/ok.png">${img(`src="/ok.png"`)}</picture>`,
    `<link rel="preconnect" href="https://nowhere.invalid"><link rel="dns-prefetch" href="//nowhere.invalid">a`,
    `<blockquote cite="/ok/">a</blockquote>`,
    `<iframe src="/ok/" title="A page"></iframe>`,
    `<a href="#top">a</a><a href="/ok/#top">b</a>`,
    `<a href="/ok/?q=1&amp;b=2">a</a>`,
  ]),
  ...clean("linkinator", [`<a href="ok/">a</a>`], `<base href="/">`),
  ...clean("lychee", [
    `<a href="/ok/#%C3%BC">a</a>`,
    `<a href="/ok/#ü">a</a>`,
    `<a href="/ok/#tangent%3A-k">a</a>`,
    `<a href="mailto:ada@example.com?subject=A%20b&amp;cc=b@example.com">a</a>`,
    `<pre>https://nowhere.invalid/x</pre><code>/gone-in-code</code>`,
    `<my-element href="/gone-x" src="/gone-y">a</my-element>`,
    img(`src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"`),
    `<a href="/ok/ ">a</a>`,
    `<a href="{other}/ok/?a=%7Cb">a</a>`,
    `<a href="{other}/to-ok">a</a>`,
  ]),
  ...clean("html-proofer", [
    `<a name="x"></a><a id="y"></a><a href="#x">a</a><a href="#y">b</a>`,
    `<h2 id="25-method">a</h2><a href="#25-method">a</a>`,
    `<a href="tel:+49301234567">a</a>`,
    `<a href="javascript:history.back()">a</a>`,
    `<a href="sms:+49301234567">a</a><a href="ftp://example.com/">b</a><a href="feed:x">c</a>`,
    `<p id="don't">a</p><a href="#don't">a</a>`,
    `<p id="größe">a</p><a href="#gr%C3%B6%C3%9Fe">a</a>`,
    `<a href="/ok/index.html">a</a>`,
    `<a href="/a%20b.png">a</a>`,
    `<a href="/ok.pdf#page=2">a</a>`,
    `<a href="{other}/ok.pdf#page=2">a</a>`,
    img(`srcset="/ok.png 1x, /ok.png 2x" src="/ok.png"`),
    img(`srcset="/ok.png 100w, /ok.png 200w" sizes="50vw" src="/ok.png"`),
    `<img src="/ok.png" alt="" aria-hidden="true" width="9" height="9">`,
    img(`src="/a%20b.png"`),
    `<script>var a = 1;</script>`,
    `<link rel="next" href="/ok/"><link rel="prev" href="/ok/">a`,
    `<script src="https://cdn.example.net/x@1.2.3/x.js" integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC" crossorigin="anonymous"></script>`,
    `<svg><use href="#icon"></use><symbol id="icon"></symbol></svg>`,
    `<a @click="x" href="/ok/">a</a>`,
    `<a href=" /ok/">a</a>`,
    `<map name="m"><area href="/ok/" alt="a"></map>${img(`usemap="#m" src="/ok.png"`)}`,
  ]),
  ...clean("html-proofer", ["a"], `<base>`),
  ...clean("html-proofer", ["a"], `<link rel="icon" href="/ok.png">`),
  ...clean("html-proofer", ["a"], `<link rel="icon" href="//{host}/ok.png">`),
  ...clean("broken-link-checker", [
    `<audio src="/ok.mp3"></audio>`,
    `<object data="/ok.pdf"></object>`,
    `<form action="/ok/"><button>Go</button></form>`,
    `<ins cite="/ok/">a</ins><del cite="/ok/">b</del><q cite="/ok/">c</q>`,
    `<video src="/ok.mp4" poster="/ok.png"><track kind="captions" src="/ok.vtt"></video>`,
    `<a href="/ok/" rel="nofollow external">a</a>`,
  ]),
];

/** Cases with a defect, then those without one. */
export const peerLinks: readonly LinkCase[] = [
  ...linkinator,
  ...lychee,
  ...htmlProofer,
  ...brokenLinkChecker,
  ...withoutDefects,
];
