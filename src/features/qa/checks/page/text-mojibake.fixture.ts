import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "text.mojibake": {
    bad: [{ main: "<p>CafÃ© au lait</p>" }],
    good: [{ main: "<p>Café “Ånge” São</p>" }],
  },
};
