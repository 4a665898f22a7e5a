import type { CDPSession, Page } from "playwright-core";
import sharp from "sharp";

/** One image and its duration, in ms. */
interface Frame {
  image: Buffer;
  ms: number;
}

interface Point {
  x: number;
  y: number;
}

const pointer = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="38" viewBox="0 0 15 19">
  <path d="M1 1v14l3.6-3.3 2.3 5.4 2.4-1-2.3-5.3h4.9z" fill="#15181c" stroke="#fff" stroke-width="1.2"/></svg>`,
);

/** A video of a page whose timing is specified, independent of the speed of the machine. */
export interface ScreenRecording {
  /** Shows the page as it is now for this long. */
  pause(ms: number): Promise<void>;
  /** Moves the pointer visibly to the middle of a box. */
  pointAt(box: { x: number; y: number; width: number; height: number }): Promise<void>;
  /** Moves the pointer to this point with its button pressed, one image per step. */
  dragTo(point: Point, steps: number, ms: number): Promise<void>;
  /** Shows each change until `done` returns true, each for `ms`, and at most `max` of them. */
  watch(done: () => Promise<boolean>, ms: number, max: number): Promise<void>;
  /** Its duration so far, in ms. */
  length(): number;
  /** Encodes everything as an animated WebP of this width. */
  encode(width: number, quality: number): Promise<Buffer>;
}

const ease = (part: number) => (part < 0.5 ? 2 * part * part : 1 - (2 - 2 * part) ** 2 / 2);

async function withPointer(image: Buffer, { x, y }: Point): Promise<Buffer> {
  const left = Math.round(x) - 2;
  const top = Math.round(y) - 2;
  const layer = { input: pointer, left: Math.max(0, left), top: Math.max(0, top) };
  return sharp(image).composite([layer]).png({ compressionLevel: 1 }).toBuffer();
}

/** Picks `max` of these, evenly, including the first and the last. */
function thinned<T>(all: readonly T[], max: number): T[] {
  if (all.length <= max) return [...all];
  return Array.from({ length: max }, (_, index) => {
    return all[Math.round((index * (all.length - 1)) / (max - 1))] as T;
  });
}

async function encoded(frames: readonly Frame[], width: number, quality: number): Promise<Buffer> {
  const images = await Promise.all(
    frames.map(({ image }) =>
      sharp(image).resize({ width }).removeAlpha().png({ compressionLevel: 1 }).toBuffer(),
    ),
  );
  const delay = frames.map(({ ms }) => ms);
  return sharp(images, { join: { animated: true }, limitInputPixels: false })
    .webp({ quality, effort: 4, smartSubsample: true, minSize: true, delay, loop: 0 })
    .toBuffer();
}

/** The points between two points, with easing at both ends. */
function pointsBetween(from: Point, to: Point, steps: number): Point[] {
  return Array.from({ length: steps }, (_, index) => {
    const part = ease((index + 1) / steps);
    return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
  });
}

/** Starts a video of this page, with the pointer at the given point. */
export async function startScreenRecording(page: Page, start: Point): Promise<ScreenRecording> {
  const frames: Frame[] = [];
  const session: CDPSession = await page.context().newCDPSession(page);
  let at = start;

  async function shot(): Promise<Buffer> {
    const { data } = await session.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }
  async function add(image: Buffer, ms: number): Promise<void> {
    const shown = await withPointer(image, at);
    const last = frames.at(-1);
    if (last?.image.equals(shown) === true) last.ms += ms;
    else frames.push({ image: shown, ms });
  }

  return {
    async pause(ms) {
      await add(await shot(), ms);
    },
    async pointAt({ x, y, width, height }) {
      const image = await shot();
      for (const point of pointsBetween(at, { x: x + width / 2, y: y + height / 2 }, 8)) {
        at = point;
        await add(image, 50);
      }
      await page.mouse.move(at.x, at.y);
      await add(await shot(), 220);
    },
    async dragTo(to, steps, ms) {
      for (const point of pointsBetween(at, to, steps)) {
        at = point;
        await page.mouse.move(at.x, at.y);
        await add(await shot(), ms);
      }
    },
    async watch(done, ms, max) {
      const seen: Buffer[] = [];
      let isDone = false;
      while (!isDone) {
        isDone = await done();
        const image = await shot();
        if (seen.at(-1)?.equals(image) !== true) seen.push(image);
        if (!isDone) await page.waitForTimeout(120);
      }
      for (const image of thinned(seen, max)) await add(image, ms);
    },
    length: () => frames.reduce((sum, { ms }) => sum + ms, 0),
    encode: (width, quality) => encoded(frames, width, quality),
  };
}
