import type { PageFixture } from "../fixture.ts";

const body = (inner: string, head = "") => ({
  swap: [/<\/head><body>.*<\/body>/s, `${head}</head><body>${inner}</body>`] as const,
});
const fills = `document.querySelector("body > *").append("Hello")`;
const tagManager = `<script>(function(w,d,s,l,i){d.createElement(s)})(window,document,"script","dataLayer","GTM-ABC12")</script>`;

export const cases: PageFixture = {
  "page.empty-body": {
    bad: [
      {
        why: "a box that shows nothing",
        ...body(`<div></div>`, `<style>div { background: none; border: 0 }</style>`),
        severity: "error",
      },
      { swap: [/<body>.*<\/body>/s, "<body><p hidden>x</p></body>"] },
      {
        why: "a script that counts visits",
        ...body("", `<script src="/a.js"></script>`),
        files: { "a.js": "count()" },
        severity: "error",
      },
      {
        why: "in its body, from elsewhere",
        ...body(`<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>`),
        severity: "error",
      },
      {
        why: "in its body, its own",
        ...body(`<script src="/stats.js"></script>`),
        files: { "stats.js": "document.body.append(new Image())" },
        severity: "error",
      },
      {
        why: "a tag manager beside an empty frame",
        ...body(`<div id="wrapper"></div>`, tagManager),
        severity: "error",
      },
      {
        why: "the script that would fill it is not there",
        ...body(`<div id="root"></div><script src="/gone.js"></script>`),
        severity: "error",
      },
      {
        why: "a script from elsewhere may fill it",
        ...body(`<script src="https://cdn.example/app.js"></script>`),
        severity: "notice",
        message: "unless a script",
      },
    ],
    good: [
      {
        why: "style sheets draw a box",
        ...body(`<div class="box"></div>`, `<style>.box { height: 9em; background: #c30 }</style>`),
      },
      {
        why: "style sheets draw a box beside it",
        ...body(`<div></div>`, `<style>div::after { content: ""; border: 1px solid }</style>`),
      },
      {
        why: "a script fills it",
        ...body(`<div id="root"></div><script type="module">${fills}</script>`),
      },
      {
        why: "a script from elsewhere fills its frame",
        ...body(`<div id="app"></div><script src="https://cdn.example/app.js"></script>`),
      },
      {
        why: "a script fills an element of its own kind",
        ...body(`<app-root></app-root><script>${fills}</script>`),
      },
      {
        why: "there is nothing but a script",
        ...body(`<script src="/a.js" async></script>`),
        files: { "a.js": fills },
      },
      {
        why: "made of frames",
        swap: [/<body>.*<\/body>/s, `<frameset><frame src="/"></frameset>`],
      },
      { swap: [/<main.*<\/footer>/s, "<main><svg></svg></main>"] },
    ],
  },
};
