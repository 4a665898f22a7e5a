import type { PageFixture } from "../fixture.ts";

const gone = { "/favicon.ico": { status: 404 } };

export const cases: PageFixture = {
  "meta.favicon": {
    bad: [
      { at: "/", main: "", responses: gone, evidence: { url: "/favicon.ico", status: 404 } },
      {
        why: "the start page names one, this page doesn’t",
        main: "",
        files: {
          "index.html": `<!doctype html><title>A</title><link rel="icon" href="/p.png"><p>A</p>`,
        },
        responses: gone,
      },
      { why: "a broken address is no icon", at: "/", head: `<link rel="icon">`, responses: gone },
    ],
    good: [
      { why: "it is at its usual place", at: "/", main: "" },
      { at: "/", head: `<link rel="icon" href="/p.png">`, responses: gone },
      { at: "/", head: `<link rel="shortcut icon" href="data:,">`, responses: gone },
      { why: "is told at the start page", main: "", responses: gone },
      { why: "can’t be told", at: "/", main: "", responses: { "/favicon.ico": { status: 403 } } },
    ],
  },
};
