/** Small pieces of SVG, with numbers short enough to read. */

export type Random = () => number;

/** A sequence of numbers in 0…1 that is the same for the same seed (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** One item of a list. */
export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

export function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

export function rect(x: number, y: number, w: number, h: number, fill: string, radius = 0): string {
  const corner = radius > 0 ? ` rx="${n(radius)}"` : "";
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}"${corner} fill="${fill}"/>`;
}

export function circle(x: number, y: number, r: number, fill: string): string {
  return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${fill}"/>`;
}

export function ring(x: number, y: number, r: number, color: string, width: number): string {
  return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="none" stroke="${color}" stroke-width="${n(width)}"/>`;
}

export function shape(path: string, fill: string): string {
  return `<path d="${path}" fill="${fill}"/>`;
}

export function stroke(path: string, color: string, width: number): string {
  return `<path d="${path}" fill="none" stroke="${color}" stroke-width="${n(width)}" stroke-linecap="round" stroke-linejoin="round"/>`;
}

export function polygon(points: readonly (readonly [number, number])[], fill: string): string {
  return `<polygon points="${points.map(([x, y]) => `${n(x)},${n(y)}`).join(" ")}" fill="${fill}"/>`;
}

export function group(transform: string, inner: string): string {
  return `<g transform="${transform}">${inner}</g>`;
}

export interface Size {
  width: number;
  height: number;
}

export function svg(size: Size, background: string, inner: string): string {
  const { width, height } = size;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${rect(0, 0, width, height, background)}${inner}</svg>`;
}

/** A color between two, by t in 0…1. */
export function mix(from: string, to: string, t: number): string {
  const part = (color: string, at: number) => Number.parseInt(color.slice(at, at + 2), 16);
  const channel = (at: number) => {
    const value = Math.round(part(from, at) + (part(to, at) - part(from, at)) * t);
    return value.toString(16).padStart(2, "0");
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}

/** A color on a scale of several, by t in 0…1. */
export function scale(colors: readonly string[], t: number): string {
  const position = Math.min(Math.max(t, 0), 1) * (colors.length - 1);
  const index = Math.min(Math.floor(position), colors.length - 2);
  return mix(colors[index] as string, colors[index + 1] as string, position - index);
}
