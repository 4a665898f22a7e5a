import type { PageFixture } from "../fixture.ts";

const same = "<title>Page /about/</title>";
const copies = `<link rel="canonical" href="/about/">`;

export const cases: PageFixture = {
  "seo.title-duplicate": {
    bad: [{ swap: [/<title>.*<\/title>/, same] }],
    good: [
      { swap: [/<title>.*<\/title>/, "<title>page /about/</title>"] },
      { why: "a copy", swap: [/<title>.*canonical"[^>]*>/s, same + copies] },
      {
        why: "of a copy",
        main: "",
        files: {
          "copy/index.html": `<!doctype html><html lang="en"><title>Page /t/</title><link rel="canonical" href="/t/">`,
        },
      },
      {
        why: "in another language",
        main: "",
        files: { "sv/index.html": `<!doctype html><html lang="sv"><title>Page /t/</title>` },
      },
    ],
  },
};
