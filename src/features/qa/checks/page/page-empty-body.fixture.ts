import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "page.empty-body": {
    bad: [{ swap: [/<body>.*<\/body>/s, "<body><p hidden>x</p></body>"] }],
    good: [
      {
        why: "a script fills it",
        swap: [
          /<body>.*<\/body>/s,
          `<body><div id="root"></div><script type="module">1</script></body>`,
        ],
      },
      { swap: [/<main.*<\/footer>/s, "<main><svg></svg></main>"] },
    ],
  },
};
