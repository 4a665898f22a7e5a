import { expect, it } from "vitest";
import { areaBetween, isWhole, largestArea, moveArea, resizeArea } from "./crop-area.ts";

const image = { width: 1000, height: 500 };

it("is drawn from any corner to the opposite one, within the image", () => {
  const area = { x: 100, y: 50, width: 300, height: 200 };
  expect(areaBetween({ x: 100, y: 50 }, { x: 400, y: 250 }, image)).toEqual(area);
  expect(areaBetween({ x: 400, y: 250 }, { x: 100, y: 50 }, image)).toEqual(area);
  expect(areaBetween({ x: 900, y: 400 }, { x: 5000, y: -20 }, image)).toEqual({
    x: 900,
    y: 0,
    width: 100,
    height: 400,
  });
  expect(areaBetween({ x: 999, y: 499 }, { x: 999, y: 499 }, image)).toEqual({
    x: 984,
    y: 484,
    width: 16,
    height: 16,
  });
});

it("moves and grows up to the edges", () => {
  const area = { x: 100, y: 50, width: 300, height: 200 };
  expect(moveArea(area, { x: -500, y: 10 }, image)).toEqual({ ...area, x: 0, y: 60 });
  expect(moveArea(area, { x: 5000, y: 5000 }, image)).toEqual({ ...area, x: 700, y: 300 });
  expect(resizeArea(area, { x: 5000, y: -5000 }, image)).toEqual({
    ...area,
    width: 900,
    height: 16,
  });
});

it("fills the image in a shape", () => {
  expect(largestArea(1, image)).toEqual({ x: 250, y: 0, width: 500, height: 500 });
  expect(largestArea(4, image)).toEqual({ x: 0, y: 125, width: 1000, height: 250 });
  expect(isWhole(largestArea(2, image), image)).toBe(true);
});
