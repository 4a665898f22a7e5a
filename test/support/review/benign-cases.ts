import { gzipSync } from "node:zlib";
import { type Change, svg } from "./change.ts";

/** None of these is worth a person's time. */
export const benignCases: readonly [name: string, change: Change][] = [
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
    '<div data-look="ink" data-count="3" data-range="a:b" data-ratio="16/9"></div>',
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
  [
    "search index and share picture of other words",
    {
      "pagefind/index/en_1.pf_index": gzipSync("pagefind_dcdwords"),
      [`pagefind/${"0a".repeat(16)}/index/en_1.pf_index`]: gzipSync("pagefind_dcdwords"),
      "pagefind/fragment/en_1.pf_fragment": gzipSync(
        'pagefind_dcd{"url":"/about/","content":"Words.","meta":{"image":"/media/x.webp"}}',
      ),
      "og/0123456789abcdef0123456789abcdef.png": "x",
    },
  ],
];
