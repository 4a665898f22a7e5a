import type { PageFixture } from "../fixture.ts";

const image = (alt: string, src = "/p.png") =>
  `<img src="${src}" alt="${alt}" width="1" height="1">`;

export const cases: PageFixture = {
  "img.alt-filename": {
    bad: [
      { main: image("IMG_2041.jpg"), safe: true, evidence: { alt: "IMG_2041.jpg", src: "/p.png" } },
      { main: image("harbour-01", "/media/harbour-01.jpg") },
      { main: image("P1010042") },
      { main: image("DSC_0042") },
    ],
    good: [
      { main: image("The harbour at 4.30") },
      { why: "an aeroplane", main: image("P51") },
      { why: "shows this number", main: image("4", "/callouts/4.png") },
      { why: "a word that is its name too", main: image("harbour", "/harbour.png") },
    ],
  },
};
