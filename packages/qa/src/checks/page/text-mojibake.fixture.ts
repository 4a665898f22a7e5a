import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "text.mojibake": {
    bad: [
      { main: "<p>CafÃ© au lait</p>" },
      { main: "<p>(Caf\uFFFD)</p>", severity: "warning" },
      {
        why: "a dash, or spoken of",
        main: "<p>Monday \uFFFD Friday</p>",
        severity: "notice",
      },
    ],
    good: [
      { main: "<p>Café “Ånge” São</p>" },
      { why: "spoken of", main: "<p>The sign for it (\uFFFD) is used in Unicode.</p>" },
    ],
  },
};
