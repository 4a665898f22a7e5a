import type { PageFixture } from "../fixture.ts";

const forbiddenTexts = ["Ada Sample", "Ledgers, booking desks, logbooks. Eleven years of them."];

export const cases: PageFixture = {
  "text.sample": {
    bad: [
      { main: "<p>Ada Sample</p>", forbiddenTexts, target: "Ada Sample" },
      {
        why: "a long one inside of a text, over two lines",
        main: "<p>About me: Ledgers, booking\n desks, logbooks. Eleven years of them. And more.</p>",
        forbiddenTexts,
        message: "is from the sample site",
      },
      { why: "in an image's place", main: `<img src="/p.png" alt="Ada Sample">`, forbiddenTexts },
    ],
    good: [
      { why: "nobody has said what is the sample's", main: "<p>Ada Sample</p>" },
      {
        why: "a short one inside of a text",
        main: "<p>Not Ada Sample’s words</p>",
        forbiddenTexts,
      },
      {
        why: "only the beginning",
        main: "<p>Ledgers, booking desks, logbooks</p>",
        forbiddenTexts,
      },
      { why: "nobody sees it", main: "<p hidden>Ada Sample</p>", forbiddenTexts },
    ],
  },
};
