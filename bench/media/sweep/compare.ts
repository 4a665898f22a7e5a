/** Both sides of a thumbnail in pixels. */
const side = 16;

/** The mean of each channel. */
export function meanOf(thumbnail: readonly number[]): [number, number, number] {
  const sums: [number, number, number] = [0, 0, 0];
  for (const [at, value] of thumbnail.entries()) sums[(at % 3) as 0 | 1 | 2] += value;
  return sums.map((sum) => sum / (side * side)) as [number, number, number];
}

/** The largest difference of the means of two thumbnails, in levels. */
export function colorDifference(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [meanOf(one), meanOf(other)];
  return Math.max(...a.map((value, channel) => Math.abs(value - (b[channel] ?? 0))));
}

type Place = (x: number, y: number) => [number, number];

const last = side - 1;
/** The eight ways to turn and mirror, as EXIF numbers them. */
const ways: Place[] = [
  (x, y) => [x, y],
  (x, y) => [last - x, y],
  (x, y) => [last - x, last - y],
  (x, y) => [x, last - y],
  (x, y) => [y, x],
  (x, y) => [y, last - x],
  (x, y) => [last - y, last - x],
  (x, y) => [last - y, x],
];

function distance(one: readonly number[], other: readonly number[], place: Place): number {
  let sum = 0;
  for (let at = 0; at < side * side; at += 1) {
    const [x, y] = place(at % side, Math.floor(at / side));
    for (let channel = 0; channel < 3; channel += 1) {
      const turned = other[(y * side + x) * 3 + channel] ?? 0;
      sum += Math.abs((one[at * 3 + channel] ?? 0) - turned);
    }
  }
  return sum / one.length;
}

/** Which way of turning the second makes it most like the first; 1 is as it is. */
export function orientationOf(one: readonly number[], other: readonly number[]): number {
  const distances = ways.map((place) => distance(one, other, place));
  const [asIs = 0] = distances;
  const best = Math.min(...distances);
  // Where all ways look the same, it can't be wrong.
  return asIs - best < 1 ? 1 : distances.indexOf(best) + 1;
}
