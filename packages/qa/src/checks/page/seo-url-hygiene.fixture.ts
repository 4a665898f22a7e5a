import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "seo.url-hygiene": {
    bad: [
      { at: "/My_Work/", main: "", evidence: { faults: ["upper case", "underscores"] } },
      { at: "/two words/", main: "", evidence: { faults: ["white space"] } },
      { at: `/${"long-".repeat(30)}/`, main: "" },
    ],
    good: [
      { at: "/my-work/2026/", main: "" },
      { why: "letters of another language", at: "/ångström/", main: "" },
      { why: "is not listed", at: "/My_Work/", head: `<meta name="robots" content="noindex">` },
    ],
  },
};
