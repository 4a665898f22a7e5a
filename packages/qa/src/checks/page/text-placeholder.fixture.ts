import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "text.placeholder": {
    bad: [
      { main: "<p>Lorem ipsum dolor</p>" },
      { why: "a text that is a quotation as a whole", main: "<p>“Lorem ipsum dolor.” Ada</p>" },
      { main: "<p>TODO write this part</p>" },
      { main: "<p>The price: TBD</p>" },
      { main: "<p>Here be words. FIXME: which ones</p>" },
    ],
    good: [
      { main: "<p>My to do list: <code>TODO</code></p>" },
      { why: "speaks of it", main: "<p>Check the TODO file and close one of its items</p>" },
      {
        why: "a changelog speaks of what was replaced",
        main: "<h3>Replace “Lorem ipsum dolor” with…</h3><p>Replaced “Lorem ipsum, cut off</p>",
      },
    ],
  },
};
