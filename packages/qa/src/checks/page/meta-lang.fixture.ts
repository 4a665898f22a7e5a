import type { PageFixture } from "../fixture.ts";

const registered = "und cmn-Hans arb pes nrm szy qaa iw gsw"
  .split(" ")
  .map((lang) => `<p lang="${lang}">Hej</p>`)
  .join("");

export const cases: PageFixture = {
  "meta.lang": {
    bad: [
      { swap: [`lang="en"`, ""] },
      {
        why: "besides a text of an unknown language",
        main: `<p lang="und">A</p><p lang="xx">B</p>`,
      },
      { why: "its code has two letters", main: `<p lang="eng">Hello</p>` },
    ],
    good: [
      { main: `<p lang="sv">Hej</p><p lang="zz"><span lang="de-AT">Grüezi</span></p>` },
      { why: "registered, or for private use", main: registered },
      { why: "undetermined", swap: [`lang="en"`, `lang="und"`] },
    ],
  },
};
