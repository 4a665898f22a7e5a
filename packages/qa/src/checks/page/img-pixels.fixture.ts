import type { PageFixture } from "../fixture.ts";

const main = `<img src="/p.png" alt="A" width="1" height="1">`;
const response = (width: number, height: number, format = "png", locationTags: string[] = []) => ({
  "/p.png": {
    headers: { "content-type": `image/${format}` },
    sniffed: `image/${format}`,
    bytes: 3,
    image: { format, width, height, locationTags },
  },
});
const tags = ["GPSLatitude", "GPSLongitude"];

export const cases: PageFixture = {
  "img.over-1600px": {
    bad: [
      { main, responses: response(2400, 1600), evidence: { w: 2400, h: 1600 }, target: "/p.png" },
      { why: "in height", main, responses: response(1200, 1601) },
    ],
    good: [
      { main, responses: response(1600, 1600) },
      { why: "has no pixels", main, responses: response(4000, 4000, "svg") },
      {
        why: "a link to the whole size",
        main: `<a href="/p.png">Whole</a>`,
        responses: response(4000, 4000),
      },
    ],
  },
  "img.exif-gps": {
    bad: [{ main, responses: response(10, 10, "jpeg", tags), evidence: { tags } }],
    good: [
      { main, responses: response(10, 10, "jpeg") },
      { why: "not seen", main },
    ],
  },
};
