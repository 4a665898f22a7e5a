import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "meta.lang": {
    bad: [{ swap: [`lang="en"`, ""] }],
    good: [{ main: `<p lang="sv">Hej</p><p lang="zz"><span lang="de-AT">Grüezi</span></p>` }],
  },
};
