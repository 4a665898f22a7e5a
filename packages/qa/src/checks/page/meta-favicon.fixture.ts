import type { PageFixture } from "../fixture.ts";

const gone = { "/favicon.ico": { status: 404 } };

export const cases: PageFixture = {
  "meta.favicon": {
    bad: [
      { at: "/", main: "", answers: gone, evidence: { url: "/favicon.ico", status: 404 } },
      { why: "a broken address is no icon", at: "/", head: `<link rel="icon">`, answers: gone },
    ],
    good: [
      { why: "it is at its usual place", at: "/", main: "" },
      { at: "/", head: `<link rel="icon" href="/p.png">`, answers: gone },
      { at: "/", head: `<link rel="shortcut icon" href="data:,">`, answers: gone },
      { why: "is told at the start page", main: "", answers: gone },
      { why: "can’t be told", at: "/", main: "", answers: { "/favicon.ico": { status: 403 } } },
    ],
  },
};
