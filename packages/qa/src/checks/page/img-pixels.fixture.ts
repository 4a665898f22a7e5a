import type { PageFixture } from "../fixture.ts";

const main = `<img src="/p.png" alt="A" width="1" height="1">`;
const answer = (width: number, height: number, format = "png", placeTags: string[] = []) => ({
  "/p.png": {
    headers: { "content-type": `image/${format}` },
    sniffed: `image/${format}`,
    bytes: 3,
    image: { format, width, height, placeTags },
  },
});
const tags = ["GPSLatitude", "GPSLongitude"];

export const cases: PageFixture = {
  "img.over-1600px": {
    bad: [
      { main, answers: answer(2400, 1600), evidence: { w: 2400, h: 1600 }, target: "/p.png" },
      { why: "in height", main, answers: answer(1200, 1601) },
    ],
    good: [
      { main, answers: answer(1600, 1600) },
      { why: "has no pixels", main, answers: answer(4000, 4000, "svg") },
      {
        why: "a link to the whole size",
        main: `<a href="/p.png">Whole</a>`,
        answers: answer(4000, 4000),
      },
    ],
  },
  "img.exif-gps": {
    bad: [{ main, answers: answer(10, 10, "jpeg", tags), evidence: { tags } }],
    good: [
      { main, answers: answer(10, 10, "jpeg") },
      { why: "not seen", main },
    ],
  },
};
