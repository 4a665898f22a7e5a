import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "img.broken": {
    bad: [
      { main: `<img src="/gone.png" alt="A" width="1" height="1">` },
      {
        why: "no address, and nothing gives it one",
        main: `<img src="" alt="A">`,
        severity: "error",
      },
      { why: "no address at all", main: `<img alt="A">`, message: "has no address" },
      {
        why: "a script may give it an address",
        main: `<img src="" alt=""><script>show.append(1)</script>`,
        severity: "notice",
      },
    ],
    good: [
      { main: `<img src="../p.png" alt="A" width="1" height="1">` },
      { why: "loaded late", main: `<img src="" data-src="/p.png" alt="A">` },
      { why: "it has sizes", main: `<img src="" srcset="/p.png 1x" alt="A">` },
      { why: "not shown", main: `<dialog><img src="" alt=""></dialog>` },
      { why: "a field of text", main: `<input src="" aria-label="A">` },
      {
        why: "for finer screens",
        main: `<img src="p@2x.png" alt="A" width="1" height="1">`,
        files: { "t/p@2x.png": "png" },
      },
      {
        why: "browsers escape white space",
        main: `<img src="my p.png" alt="A" width="1" height="1">`,
        files: { "t/my p.png": "png" },
      },
    ],
  },
};
