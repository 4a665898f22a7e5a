import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "a11y.contrast": {
    bad: [
      { main: `<p style="color:#aaa">Faint words</p>` },
      {
        why: "what nobody can tell",
        head: `<link rel="stylesheet" href="https://cdn.example/x.css">`,
        main: `<p>Words</p>`,
        severity: "notice",
        message: "wasn’t checked: the style sheet https://cdn.example/x.css",
      },
    ],
    good: [
      {
        why: "placed over something that isn’t around it",
        main: `<img src="../p.png" alt="A" width="9" height="9"><div style="position:absolute;top:0"><p style="color:#fff">Menu</p></div>`,
      },
      {
        main: `<p style="color:#767676">Words</p><p style="color:#949494;font-size:24px">Large</p>`,
      },
    ],
  },
};
