import { gzipSync } from "node:zlib";
import { type Change, svg } from "./change.ts";

/** Each brings an external origin that a person must see. */
export const originCases: readonly [name: string, change: Change][] = [
  ["external script", '<script src="https://evil.example/x.js" integrity="sha256-x"></script>'],
  ["picture", "<img src=https://evil.example/x.png alt=x>"],
  ["srcset", '<img srcset="/a.webp 1x, https://evil.example/x.webp 2x" alt="">'],
  ["srcset of a source", '<picture><source srcset="//evil.example/x 480w"></picture>'],
  [
    "preloaded srcset",
    { head: '<link rel=preload as=image imagesrcset="https://evil.example/x 1x">' },
  ],
  ["style sheet", { head: '<link rel="alternate stylesheet" href="https://evil.example/x.css">' }],
  ["preconnect", { head: '<link rel=preconnect href="https://evil.example">' }],
  ["dns-prefetch", { head: "<link rel=dns-prefetch href=//evil.example>" }],
  ["manifest", { head: "<link rel=manifest href=//evil.example/m.json>" }],
  ["icon", { head: "<link rel=icon href=//evil.example/i.png>" }],
  [
    "canonical",
    (() => ({
      "about/index.html": (text: string) =>
        text.replace('"https://example.com/about/"', '"https://evil.example/about/"'),
    }))(),
  ],
  ["link", '<a href="https://evil.example/">x</a>'],
  ["link by protocol", '<a href="//evil.example/">x</a>'],
  ["link by backslashes", "<a href='\\\\evil.example/'>x</a>"],
  ["link by mixed slashes", "<a href='/\\evil.example/'>x</a>"],
  ["link with a tab between slashes", "<a href='/\t/evil.example/'>x</a>"],
  ["link with a line feed as entity", "<a href='/&#10;/evil.example/'>x</a>"],
  ["link without slashes", "<a href='https:evil.example'>x</a>"],
  ["link by http", "<a href='http:/evil.example'>x</a>"],
  ["link with the site's name before an @", "<a href='https://example.com@evil.example/'>x</a>"],
  ["link to another port", "<a href='https://example.com:8443/'>x</a>"],
  ["link to a subdomain", "<a href='https://evil.example.com/'>x</a>"],
  ["link to a name that begins alike", "<a href='https://example.com.evil.example/'>x</a>"],
  ["link by IDN", "<a href='https://exämple.com/'>x</a>"],
  ["link by fullwidth letters", "<a href='https://ｅvil.example/'>x</a>"],
  ["link to a number", "<a href='https://2130706433/'>x</a>"],
  ["link in capitals", "<A HREF=HTTPS://EVIL.EXAMPLE/>x</A>"],
  ["area", '<map name=m><area href="https://evil.example/" alt=x></map>'],
  ["ping", '<a href="/" ping="/a https://evil.example/">x</a>'],
  ["form", '<form action="https://evil.example/"><input name=a></form>'],
  ["form of the program", '<form action="/api/adminauth/logout" method=post></form>'],
  ["formaction", '<button formaction="//evil.example/">x</button>'],
  ["frame", '<iframe src="https://evil.example/" title=x></iframe>'],
  ["film's poster", "<video poster=//evil.example/p.png></video>"],
  ["track", "<video><track src=//evil.example/t.vtt></video>"],
  ["sound", "<audio><source src=https://evil.example/a.mp3></audio>"],
  ["input picture", "<input type=image src=https://evil.example/i.png alt=x>"],
  ["background", "<table background=//evil.example/b.png>"],
  ["image in a drawing", "<svg><image xlink:href='https://evil.example/i.png'/></svg>"],
  ["use", "<svg><use href='https://evil.example/i.svg#x'/></svg>"],
  ["filter image", "<svg><filter><feImage href=//evil.example/i.png /></filter></svg>"],
  ["fill", "<svg><rect fill='url(https://evil.example/i.svg#x)'/></svg>"],
  [
    "policy",
    { head: '<meta http-equiv="Content-Security-Policy" content="img-src https://evil.example">' },
  ],
  ["style element", "<style>a{background:url(https://evil.example/x)}</style>"],
  ["import in a style element", "<style>@import'//evil.example/x.css'</style>"],
  ["import behind what ends no style", "<style></styles>@import'//evil.example'</style>"],
  ["style attribute", `<p style="background:url('//evil.example/x')">x</p>`],
  ["style attribute with entities", "<p style='background:url(&#104;ttps://evil.example/x)'>x</p>"],
  ["style with escapes", "<style>a{background:u\\72l(\\68ttps://evil.example/x)}</style>"],
  ["style with an escaped import", '<style>@im\\70ort "\\2f\\2f evil.example/x";</style>'],
  ["style with comments", '<style>@import/**/"//evil.example/x";</style>'],
  [
    "style with a comment in a string",
    `<style>a{content:"/*";background:url(//evil.example/x)}b{content:"*/"}</style>`,
  ],
  ["image-set", `<style>a{background:image-set("https://evil.example/x" 1x)}</style>`],
  ["custom property", "<style>:root{--x:url(//evil.example/x)}</style>"],
  ["font", "<style>@font-face{font-family:x;src:url(//evil.example/x)}</style>"],
  [
    "style in a drawing with entities",
    "<svg><style>@import&#32;'&#47;/evil.example';</style></svg>",
  ],
  ["style sheet file", { "x.css": "a{background:url(//evil.example/x)}" }],
  ["style with backslashes", { "x.css": String.raw`a{background:url(\\\\evil.example/x)}` }],
  ["line continued in a string", { "x.css": 'a{background:url("//\\\nevil.example/x")}' }],
  [
    "unquoted address with an escaped tab",
    { "x.css": "a{background:url(ht\\9 tps://evil.example/x)}" },
  ],
  ["escaped name and slash", { "x.css": "a{background:\\75 R\\l(\\/\\/evil.example/x)}" }],
  ["tab in a string", { "x.css": 'a{background:url("ht\ttps://evil.example/x")}' }],
  ["three slashes", { "x.css": 'a{background:url("///evil.example/x")}' }],
  ["control character in a srcset", '<img srcset="/a 1x, \u0001//evil.example/x 2x" alt="">'],
  ["proof of ownership", { "google1.html": "google-site-verification: google1.html" }],
  ["drawing that loads", { "x.svg": svg("<image href='https://evil.example/x'/>") }],
  [
    "drawing with a style",
    { "x.svg": svg("<style><![CDATA[a{fill:url(//evil.example/x)}]]></style>") },
  ],
  [
    "address in a feed",
    {
      "rss.xml": (text) =>
        text.replace("<item>", "<item><comments>https://evil.example/</comments>"),
    },
  ],
  [
    "link in a feed's entry",
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
    {
      "sitemap-0.xml": (text) =>
        text.replace("<url>", "<url><loc>https://evil.example/</loc></url><url>"),
    },
  ],
  [
    "address in data",
    '<script type="application/json">{"api":"https:\\/\\/evil.example"}</script>',
  ],
  ["address in an attribute for scripts", '<div data-endpoint="https://evil.example/"></div>'],
  [
    "address in JSON",
    { "resume.json": (text) => text.replace("{", '{"x":"https://evil.example/",') },
  ],
  ["web manifest", { "x.webmanifest": '{"start_url":"https://evil.example/"}' }],
  ["link preview", { head: '<meta property="og:image" content="https://evil.example/x.png">' }],
  ["other mail address", '<a href="mailto:evil@evil.example">mara@example.com</a>'],
  ["mail address as a copy", '<a href="mailto:mara@example.com?bcc=evil%40evil.example">x</a>'],
  ["telephone", '<a href="tel:+4670000001">x</a>'],
  ["other scheme", '<a href="intent://evil.example#Intent;end">x</a>'],
  ["social ownership", { head: '<meta name="google-site-verification" content="x">' }],
  ["app association", { ".well-known/assetlinks.json": "[]" }],
  ["link in noscript", "<noscript><img src=//evil.example/x alt=></noscript>"],
  ["link in a comment of IE", "<!--[if IE]><img src=//evil.example/x><![endif]-->"],
  ["address after one in a comment", { "x.css": "/*url(*/a{background:url(//evil.example/x)}" }],
  [
    "page that is found elsewhere",
    {
      "pagefind/fragment/en_1.pf_fragment": gzipSync(
        'pagefind_dcd{"url":"https://evil.example/","content":"x"}',
      ),
    },
  ],
  [
    "link with brackets in a document",
    { "x.pdf": "%PDF-1.7 <</S /URI /URI (https://evil.example/a_\\(b\\))>>" },
  ],
  ["link in a document", { "x.pdf": "%PDF-1.7 <</S /URI /URI (https://evil.example/)>>" }],
];
