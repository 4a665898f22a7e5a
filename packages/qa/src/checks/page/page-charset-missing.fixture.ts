import type { PageFixture } from "../fixture.ts";

const meta = `<meta charset="utf-8">`;

export const cases: PageFixture = {
  "page.charset-missing": {
    bad: [
      { swap: [meta, ""], evidence: { first: null } },
      { swap: [meta, `<!--${" ".repeat(1100)}-->${meta}`] },
    ],
    good: [
      { swap: [meta, `<meta http-equiv="Content-Type" content="text/html; charset=utf-8">`] },
      {
        why: "a mark at its beginning",
        swap: [/^.*<meta charset="utf-8">/s, "\uFEFF<!doctype html><html lang='en'>"],
      },
      {
        why: "its header says it",
        swap: [meta, ""],
        responses: { "/t/": { headers: { "content-type": "text/html; charset=utf-8" } } },
      },
    ],
  },
};
