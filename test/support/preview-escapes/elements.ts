import type { Escape } from "./escape.ts";

/**
 * Markup that makes a browser fetch, connect or look up a name by being in a page: the attributes that
 * hold addresses in HTML, SVG and MathML, the links of HTML, style sheets, refreshes and plug-ins.
 */
export const markupEscapes: Escape[] = Object.entries({
  // Embedded content (HTML standard, 4.8).
  img: '<img src="URL">',
  "img-srcset": '<img srcset="URL 1x, URL2 2x">',
  "img-lowsrc": '<img lowsrc="URL" dynsrc="URL" longdesc="URL">',
  "picture-source": '<picture><source srcset="URL"><img alt=""></picture>',
  "img-attribution": '<img src="PREFIX/dot.svg" attributionsrc="URL">',
  "a-attribution": '<a href="PREFIX/" attributionsrc="URL">x</a>',
  "img-shared-storage": '<img src="URL" sharedstoragewritable browsingtopics>',
  "input-image": '<input type="image" src="URL">',
  video: '<video src="URL" autoplay muted></video>',
  "video-poster": '<video poster="URL"></video>',
  audio: '<audio src="URL" preload="auto"></audio>',
  "audio-source": '<audio preload="auto"><source src="URL"></audio>',
  track: '<video src="PREFIX/x.mp4"><track default kind="captions" src="URL"></video>',
  iframe: '<iframe src="URL"></iframe>',
  "iframe-lazy": '<iframe loading="eager" src="URL" allow="*"></iframe>',
  "iframe-srcdoc":
    '<iframe srcdoc="<img src=URL><meta http-equiv=refresh content=0;url=URL>"></iframe>',
  "iframe-data": "<iframe src=\"data:text/html,<img src='URL'>\"></iframe>",
  "iframe-javascript": "<iframe src=\"javascript:location='URL'\"></iframe>",
  "iframe-sandboxless":
    '<iframe sandbox="allow-top-navigation allow-popups allow-scripts" src="URL"></iframe>',
  "iframe-credentialless": '<iframe credentialless src="URL"></iframe>',
  frameset: '<frameset><frame src="URL"></frameset>',
  object: '<object data="URL"></object>',
  "object-pdf": '<object data="URL.pdf" type="application/pdf"></object>',
  "object-codebase": '<object codebase="URL" classid="x" archive="URL"></object>',
  embed: '<embed src="URL">',
  "embed-svg": '<embed type="image/svg+xml" src="URL">',
  applet: '<applet code="x" codebase="URL" archive="URL"></applet>',
  portal: '<portal src="URL"></portal>',
  fencedframe: '<fencedframe src="URL"></fencedframe>',
  "permission-element": '<permission type="geolocation">x</permission><geolocation></geolocation>',
  // Links (4.6.8) and preloads.
  stylesheet: '<link rel="stylesheet" href="URL">',
  "stylesheet-alternate": '<link rel="alternate stylesheet" title="a" href="URL">',
  icon: '<link rel="icon" href="URL">',
  "apple-touch-icon": '<link rel="apple-touch-icon" href="URL"><link rel="mask-icon" href="URL">',
  manifest: '<link rel="manifest" href="URL">',
  preload: '<link rel="preload" as="image" href="URL">',
  "preload-srcset": '<link rel="preload" as="image" imagesrcset="URL 1x">',
  "preload-fetch": '<link rel="preload" as="fetch" crossorigin href="URL">',
  "preload-font": '<link rel="preload" as="font" crossorigin href="URL">',
  modulepreload: '<link rel="modulepreload" href="URL">',
  prefetch: '<link rel="prefetch" href="URL">',
  "prefetch-document": '<link rel="prefetch" as="document" href="URL">',
  prerender: '<link rel="prerender" href="URL">',
  subresource: '<link rel="subresource" href="URL">',
  next: '<link rel="next" href="URL"><link rel="prev" href="URL">',
  preconnect: '<link rel="preconnect" href="URL">',
  "preconnect-credentials": '<link rel="preconnect" crossorigin="use-credentials" href="HTTPS">',
  "dns-prefetch": '<link rel="dns-prefetch" href="URL">',
  "dns-prefetch-anchor":
    '<meta http-equiv="x-dns-prefetch-control" content="on"><a href="URL">a link that is only there</a>',
  import: '<link rel="import" href="URL">',
  search: '<link rel="search" type="application/opensearchdescription+xml" href="URL">',
  pingback: '<link rel="pingback" href="URL"><link rel="expect" blocking="render" href="URL">',
  "compression-dictionary": '<link rel="compression-dictionary" href="URL">',
  "payment-link":
    '<link rel="payment-method-manifest" href="URL"><link rel="facilitated-payment" href="URL">',
  // Scripts.
  script: '<script src="URL"></script>',
  "script-module": '<script type="module" src="URL"></script>',
  "script-async": '<script async defer crossorigin src="URL"></script>',
  "script-attribution": '<script src="PREFIX/own.js" attributionsrc="URL"></script>',
  "import-map":
    '<script type="importmap">{"imports":{"far":"URL"}}</script><script type="module">import "far"</script>',
  "import-map-module": '<script type="module">import "URL"</script>',
  "speculation-prefetch":
    '<script type="speculationrules">{"prefetch":[{"source":"list","urls":["URL"],"eagerness":"immediate"}]}</script>',
  "speculation-prerender":
    '<script type="speculationrules">{"prerender":[{"source":"list","urls":["URL"],"eagerness":"immediate"}]}</script>',
  "speculation-anonymous":
    '<script type="speculationrules">{"prefetch":[{"urls":["URL"],"requires":["anonymous-client-ip-when-cross-origin"],"eagerness":"immediate"}]}</script>',
  "speculation-document":
    '<a href="URL">x</a><script type="speculationrules">{"prefetch":[{"where":{"href_matches":"*://*/*"},"eagerness":"immediate"}]}</script>',
  "speculation-twice":
    '<script>{"prefetch":[{"urls":["URL"],"eagerness":"immediate"}]}</script><script>const s = document.createElement("script"); s.type = "speculationrules"; s.textContent = document.scripts[document.scripts.length - 2].textContent; document.head.append(s)</script>',
  // Styles (CSS Values, Images, Fonts, Cascade, SVG in CSS).
  "style-import": "<style>@import url(URL);</style>",
  "style-import-string": '<style>@import "URL" layer(x) supports(display:block);</style>',
  "style-background": "<style>html{background:url(URL)}</style>",
  "style-attribute": '<p style="background-image:url(URL)">x</p>',
  "style-image-set": "<p style=\"background-image:image-set('URL' 1x)\">x</p>",
  "style-list": '<ul style="list-style:url(URL)"><li>x</ul>',
  "style-cursor": '<style>*{cursor:url("URL"),auto}</style>',
  "style-content": '<style>body::before{content:url("URL")}</style>',
  "style-border": '<p style="border:9px solid;border-image:url(URL) 1">x</p>',
  "style-mask": '<p style="mask:url(URL);-webkit-mask-image:url(URL)">x</p>',
  "style-filter":
    '<p style="filter:url(URL#f);clip-path:url(URL#c);backdrop-filter:url(URL#f)">x</p>',
  "style-shape": '<p style="float:left;shape-outside:url(URL)">x</p>',
  "style-font": '<style>@font-face{font-family:f;src:url("URL")}*{font-family:f}</style>',
  "style-font-format":
    '<style>@font-face{font-family:g;src:url("URL") format(woff2)}body{font:1em g}</style>x',
  "style-variable": '<style>:root{--x:url("URL")}body{background:var(--x)}</style>',
  "style-property":
    '<style>@property --p{syntax:"<image>";inherits:false;initial-value:url("URL")}body{background:var(--p)}</style>',
  "style-namespace": '<style>@namespace svg url("URL");@document url("URL"){}</style>',
  "style-cross-fade": '<p style="background:-webkit-cross-fade(url(URL),url(URL2),50%)">x</p>',
  "style-element": '<p style="background:paint(x);src:url(URL)">x</p>',
  "body-background": '<table background="URL"><tr><td background="URL">x</table>',
  // SVG and MathML.
  "svg-image": '<svg><image href="URL" width="9" height="9"/></svg>',
  "svg-image-xlink": '<svg><image xlink:href="URL" width="9" height="9"/></svg>',
  "svg-use": '<svg><use href="URL#x"/></svg>',
  "svg-feimage":
    '<svg><filter id="f"><feImage href="URL"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>',
  "svg-fill": '<svg><rect width="9" height="9" fill="url(URL#g)" marker-end="url(URL#m)"/></svg>',
  "svg-script": '<svg><script href="URL"/></svg>',
  "svg-style": "<svg><style>@import url(URL);</style></svg>",
  "svg-set": '<svg><image width="9" height="9"><set attributeName="href" to="URL"/></image></svg>',
  "svg-animate":
    '<svg><image width="9" height="9"><animate attributeName="href" values="URL" dur="1s"/></image></svg>',
  "svg-mpath":
    '<svg><rect width="9" height="9"><animateMotion dur="1s"><mpath href="URL#p"/></animateMotion></rect></svg>',
  "svg-pattern": '<svg><linearGradient href="URL#x"/><textPath href="URL#t">x</textPath></svg>',
  "svg-foreign":
    '<svg><foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="URL"></foreignObject></svg>',
  "mathml-href":
    '<math href="URL"><mi href="URL">x</mi><annotation-xml encoding="text/html" src="URL"></annotation-xml></math>',
  // Refreshes, policies and bases in the page.
  "meta-refresh": '<meta http-equiv="refresh" content="0;url=URL">',
  "meta-refresh-quoted": '<meta http-equiv="Refresh" content="0, url=\'URL\'">',
  "meta-csp-report":
    '<meta http-equiv="content-security-policy" content="img-src \'none\'; report-uri URL"><img src="PREFIX/dot.svg">',
  "meta-origin-trial":
    '<meta http-equiv="origin-trial" content="AAAA"><meta http-equiv="set-cookie" content="a=b">',
  "meta-speculation":
    '<meta http-equiv="speculation-rules" content="&quot;URL&quot;"><meta http-equiv="link" content="<URL>; rel=preload; as=image">',
  base: '<base href="URL"><img src="x.png"><script src="x.js"></script>',
  "template-shadow":
    '<div><template shadowrootmode="open"><img src="URL"><link rel="stylesheet" href="URL"></template></div>',
  noscript: '<noscript><img src="URL"></noscript>',
  "form-autofocus": '<form action="URL"><input name="a" autofocus onfocus="form.submit()"></form>',
  "handler-attribute": '<img src="x:" onerror="location = \'URL\'">',
  "html-manifest": '<html manifest="URL" profile="URL"><body background="URL">',
  blockquote: '<blockquote cite="URL">x</blockquote><q cite="URL">x</q><del cite="URL">x</del>',
}).map(([name, html]) => ({
  name,
  html,
  alone: /^(?:meta-refresh|meta-csp|base$|frameset|html-|handler|form-|speculation-twice)/.test(
    name,
  ),
}));
