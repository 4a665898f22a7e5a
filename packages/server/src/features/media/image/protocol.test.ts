import { expect, test } from "vitest";
import { type ConvertTask, readResponse } from "./protocol.ts";

const task: ConvertTask = {
  task: "convert",
  file: "/in/source",
  format: "jpeg",
  outDir: "/out",
  stem: "0a1b-kiln",
  limits: {
    megapixels: 1,
    avifMegapixels: 1,
    heicMegapixels: 1,
    frames: 1,
    animationMegapixels: 1,
  },
};

const result = {
  file: "0a1b-kiln.jpg",
  mime: "image/jpeg",
  bytes: 10,
  width: 4,
  height: 3,
  hasAlpha: false,
  animated: false,
  frames: 1,
  placeholder: "data:image/webp;base64,UklGRg==",
  variants: [{ file: "0a1b-kiln-480.webp", width: 480, bytes: 5 }],
  warnings: [],
};
const answer = (change: object) =>
  readResponse(task, JSON.stringify({ rss: 1, result: { ...result, ...change } }));

test("abuse 210: a response of an image worker names only its own results and contains no markup", () => {
  expect(answer({})).toEqual({ rss: 1, result });
  for (const change of [
    { file: "../../content/app/src/pages/index.astro" },
    { file: "0a1b-kiln.html" },
    { file: "other.jpg" },
    { variants: [{ file: "0a1b-kiln/../../x-480.webp", width: 480, bytes: 5 }] },
  ]) {
    expect(() => answer(change)).toThrow("isn't a result");
  }
  for (const [field, change] of [
    ["placeholder", { placeholder: 'data:image/webp;base64,x"><script>' }],
    ["width", { width: -1 }],
    ["src", { src: "/media/x.jpg" }],
  ] as const) {
    expect(() => answer(change)).toThrow(field);
  }
  expect(() => readResponse(task, "not JSON")).toThrow("valid JSON");
  const text = JSON.stringify({ rss: 1, result: "a string" });
  expect(() => readResponse(task, text)).toThrow("result");
});
