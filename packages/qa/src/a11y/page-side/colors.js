/**
 * Calculations with CSS colors. Runs inside the page, so it can't use anything outside the
 * function.
 */
export function makeColors() {
  const colorsIn = (text) =>
    [...text.matchAll(/rgba?\(([^)]*)\)/g)].map(([, inside]) => {
      const numbers = (inside ?? "").split(/[\s,/]+/).map(Number);
      return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0, numbers[3] ?? 1];
    });
  const over = (front, back) => {
    const mix = (at) => front[at] * front[3] + back[at] * (1 - front[3]);
    return [mix(0), mix(1), mix(2), 1];
  };
  const light = (color) => {
    const [red = 0, green = 0, blue = 0] = color.slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ratioOf = (one, other) => {
    const [dark = 0, bright = 0] = [light(one), light(other)].toSorted((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const hex = ([red, green, blue]) =>
    `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

  return { colorsIn, over, ratioOf, hex };
}
