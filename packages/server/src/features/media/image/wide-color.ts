import {
  bt709,
  type ColorDescription,
  type Primaries,
  type Transfer,
} from "./color-description.ts";
import type { Pixels } from "./sharp.ts";

type Matrix = readonly number[];

/** 3 × 3 matrices by rows. */
function multiply(a: Matrix, b: Matrix): Matrix {
  return Array.from({ length: 9 }, (_, at) => {
    const row = Math.floor(at / 3) * 3;
    const column = at % 3;
    return [0, 1, 2].reduce((sum, n) => sum + (a[row + n] ?? 0) * (b[column + n * 3] ?? 0), 0);
  });
}

function invert([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0]: Matrix): Matrix {
  const cofactors = [
    e * i - f * h,
    c * h - b * i,
    b * f - c * e,
    f * g - d * i,
    a * i - c * g,
    c * d - a * f,
    d * h - e * g,
    b * g - a * h,
    a * e - b * d,
  ];
  const determinant = a * (cofactors[0] ?? 0) + b * (cofactors[3] ?? 0) + c * (cofactors[6] ?? 0);
  return cofactors.map((value) => value / determinant);
}

function apply(matrix: Matrix, vector: Matrix): Matrix {
  return [0, 3, 6].map((row) =>
    vector.reduce((sum, value, n) => sum + (matrix[row + n] ?? 0) * value, 0),
  );
}

const xyz = ([x, y]: readonly [number, number]): Matrix => [x / y, 1, (1 - x - y) / y];

function diagonal([a = 0, b = 0, c = 0]: Matrix): Matrix {
  return [a, 0, 0, 0, b, 0, 0, 0, c];
}

/** From linear RGB to XYZ (SMPTE RP 177). */
function toXyz({ white, red, green, blue }: Primaries): Matrix {
  const [r, g, b] = [xyz(red), xyz(green), xyz(blue)];
  const columns = [0, 1, 2].flatMap((row) => [r[row] ?? 0, g[row] ?? 0, b[row] ?? 0]);
  return multiply(columns, diagonal(apply(invert(columns), xyz(white))));
}

/** Bradford's cone responses. */
const cones: Matrix = [0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296];

function adaptWhite(from: Primaries, to: Primaries): Matrix {
  const source = apply(cones, xyz(from.white));
  const target = apply(cones, xyz(to.white));
  const scale = diagonal(target.map((value, at) => value / (source[at] ?? 1)));
  return multiply(invert(cones), multiply(scale, cones));
}

/** From linear RGB with these primaries to that of sRGB. */
function toBt709(primaries: Primaries): Matrix {
  return multiply(invert(toXyz(bt709)), multiply(adaptWhite(primaries, bt709), toXyz(primaries)));
}

/** Light of SDR's white in an HDR image, cd/m² (ITU-R BT.2408). */
const referenceWhite = 203;
/** What HLG is shown with, cd/m², and its system gamma there (ITU-R BT.2100). */
const hlgPeak = 1000;
const hlgGamma = 1.2;

/** ITU-R BT.2100, table 4: from a signal of 0 to 1 to light in cd/m². */
function pqLight(signal: number): number {
  const power = signal ** (1 / 78.84375);
  return (
    10_000 *
    (Math.max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power)) ** (1 / 0.1593017578125)
  );
}

/** ITU-R BT.2100, table 5: from a signal of 0 to 1 to the scene's light of 0 to 1. */
function hlgScene(signal: number): number {
  const c = 0.55991073;
  return signal <= 0.5 ? signal ** 2 / 3 : (Math.exp((signal - c) / 0.17883277) + 0.28466892) / 12;
}

function srgbLight(signal: number): number {
  return signal <= 0.04045 ? signal / 12.92 : ((signal + 0.055) / 1.055) ** 2.4;
}

/** Light for a signal of 0 to 1; 1 is SDR's white, except for HLG, which gives the scene's light. */
function lightOf(transfer: Transfer, signal: number): number {
  if (transfer.kind === "pq") return pqLight(signal) / referenceWhite;
  if (transfer.kind === "hlg") return hlgScene(signal);
  return transfer.kind === "power" ? signal ** transfer.exponent : srgbLight(signal);
}

/** Values of a table, and how finely light up to the brightest is divided for tone mapping. */
const signals = 65_536;
const toneSteps = 4096;

/**
 * The factors by which tone mapping darkens light from 0 to `peak`, by the square root of its part of
 * it: below SDR's white it is halved at most, above it bends to 1 at the peak. This is the curve that
 * browsers use (reference white tone mapping, SMPTE ST 2094-50): what is stored looks like the file.
 */
function toneFactors(peak: number): Float32Array {
  const usualHeadroom = Math.log2(1000 / referenceWhite);
  const white = 1 - 0.5 * Math.min(Math.log2(peak) / usualHeadroom, 1);
  const middle = { x: 0.35 + 0.65 / white, y: 0.35 * white + 0.65 };
  const factors = new Float32Array(toneSteps + 1);
  for (let step = 0; step <= toneSteps; step += 1) {
    const light = (step / toneSteps) ** 2 * peak;
    if (light <= 1) {
      factors[step] = white;
      continue;
    }
    // A quadratic Bézier curve from (1, white) by the middle to (peak, 1).
    const a = 1 - 2 * middle.x + peak;
    const b = 2 * (middle.x - 1);
    const t =
      Math.abs(a) < 1e-9 ? (light - 1) / b : (Math.sqrt(b * b + 4 * a * (light - 1)) - b) / (2 * a);
    factors[step] = ((1 - t) ** 2 * white + 2 * t * (1 - t) * middle.y + t * t) / light;
  }
  return factors;
}

/** The brightest light of an HDR image, as a multiple of SDR's white; null for SDR. */
function peakOf(transfer: Transfer): number | null {
  if (transfer.kind === "hlg") return hlgPeak / referenceWhite;
  if (transfer.kind !== "pq") return null;
  return Math.min(10_000, Math.max(referenceWhite * 1.01, transfer.maxLuminance)) / referenceWhite;
}

/** Scales the light of one pixel in place, by its luminance and by its largest part. */
function makeLightScaler({ transfer }: ColorDescription): ((light: Float32Array) => number) | null {
  const peak = peakOf(transfer);
  if (peak === null) return null;
  const factors = toneFactors(peak);
  const isHlg = transfer.kind === "hlg";
  return (light) => {
    const [red = 0, green = 0, blue = 0] = light;
    const luminance = 0.2627 * red + 0.678 * green + 0.0593 * blue;
    const system = isHlg ? peak * luminance ** (hlgGamma - 1) : 1;
    const largest = Math.max(red, green, blue) * system;
    const at = Math.min(toneSteps, Math.round(Math.sqrt(largest / peak) * toneSteps));
    return system * (largest > peak ? 1 / largest : (factors[at] ?? 1));
  };
}

function tableOf(value: (share: number) => number): Float32Array {
  return Float32Array.from({ length: signals }, (_, at) => value(at / (signals - 1)));
}

/** sRGB's byte for each 65,536th of light. */
function srgbBytes(): Uint8Array {
  return Uint8Array.from({ length: signals }, (_, at) => {
    const light = at / (signals - 1);
    const signal = light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
    return Math.round(signal * 255);
  });
}

/**
 * Converts pixels of 16 bits a channel, RGB or RGBA, from what the file says about them to sRGB;
 * HDR is mapped to its range. Linear in the pixels.
 */
export function toSrgb(
  wide: { data: Buffer; width: number; height: number; channels: number },
  description: ColorDescription,
): Pixels {
  const { data, width, height } = wide;
  const channels = wide.channels === 4 ? 4 : 3;
  const source = new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
  const lights = tableOf((signal) => lightOf(description.transfer, signal));
  const bytes = srgbBytes();
  const scale = makeLightScaler(description);
  const matrix = Float64Array.from(toBt709(description.primaries));
  const target = Buffer.alloc(width * height * channels);
  const light = new Float32Array(3);
  for (let at = 0; at < target.length; at += channels) {
    for (let n = 0; n < 3; n += 1) light[n] = lights[source[at + n] ?? 0] ?? 0;
    const factor = scale === null ? 1 : scale(light);
    const [red = 0, green = 0, blue = 0] = light;
    for (let n = 0; n < 3; n += 1) {
      const m = n * 3;
      const sum =
        (matrix[m] ?? 0) * red + (matrix[m + 1] ?? 0) * green + (matrix[m + 2] ?? 0) * blue;
      const value = Math.min(1, Math.max(0, sum * factor));
      target[at + n] = bytes[Math.round(value * (signals - 1))] ?? 0;
    }
    if (channels === 4) target[at + 3] = Math.round((source[at + 3] ?? 0) / 257);
  }
  return { data: target, width, height, channels };
}
