import type { PageFixture } from "../fixture.ts";

const fine = `<p>The harbour’s colour was analysed, catalogued and organised by travelling jewellers.
Screenprinted zines, kerning, mockups and handmade typefaces; ekphrastic, unglazed, micropublished.
Write to someone@exampel.com or see www.definately.example/seperate. It’s the artist’s; they’ve theatre licences.</p>`;

export const cases: PageFixture = {
  "text.spelling": {
    bad: [
      {
        main: `<p>You will recieve an answer soon.</p>`,
        evidence: { word: "recieve", count: 1, suggestion: "receive" },
        severity: "notice",
      },
      { main: `<p>It was definately there.</p>`, evidence: { suggestion: "definitely" } },
      { main: `<p>Two seperate rooms, and one goverment.</p>`, count: 2 },
      {
        why: "a few are enough",
        main: `<p>recieve definately seperate goverment occured untill</p>`,
        count: 3,
      },
    ],
    good: [
      { why: "right in any country", main: fine },
      { why: "another language", main: `<p lang="sv">Jag vill recieve detta definately.</p>` },
      { why: "code", main: `<p><code>recieve()</code> and <q>definately</q></p>` },
      {
        why: "a name",
        main: `<p translate="no">recieve</p><p>Made with Definately since 2020.</p>`,
      },
      { why: "often: it is meant so", main: `<p>recieve, recieve, recieve</p>` },
      { why: "like nothing else", main: `<p>The zorblax of quintrix.</p>` },
      { why: "capitals", main: `<p>RECIEVE is a Recieve.</p>` },
    ],
  },
};
