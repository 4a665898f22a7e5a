import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "page.empty-body": {
    bad: [
      { swap: [/<body>.*<\/body>/s, "<body><p hidden>x</p></body>"] },
      {
        why: "a script that counts visits",
        swap: [/<\/head><body>.*<\/body>/s, `<script src="/a.js"></script></head><body></body>`],
      },
    ],
    good: [
      {
        why: "a script fills it",
        swap: [
          /<body>.*<\/body>/s,
          `<body><div id="root"></div><script type="module">1</script></body>`,
        ],
      },
      {
        why: "a script fills an element of its own kind",
        swap: [/<body>.*<\/body>/s, `<body><app-root></app-root><script>1</script></body>`],
      },
      {
        why: "there is nothing but a script",
        swap: [/<body>.*<\/body>/s, `<body><script src="/a.js" async></script></body>`],
      },
      {
        why: "made of frames",
        swap: [/<body>.*<\/body>/s, `<frameset><frame src="/"></frameset>`],
      },
      { swap: [/<main.*<\/footer>/s, "<main><svg></svg></main>"] },
    ],
  },
};
