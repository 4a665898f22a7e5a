import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";

/** What a browser shows of an image: sizes in pixels, times in ms. */
export interface Shown {
  width: number;
  height: number;
  /** 16 × 16 pixels of red, green, and blue, over gray where it is transparent. */
  thumbnail: number[];
  /** Of an animation; one for a still image. */
  frames: number;
  durations: number[];
}

/** Runs in the browser. */
const script = `async (address, type) => {
  const image = new Image();
  image.src = address;
  await image.decode();
  const side = 16;
  const canvas = new OffscreenCanvas(side, side);
  const context = canvas.getContext("2d", { colorSpace: "srgb" });
  context.fillStyle = "rgb(128 128 128)";
  context.fillRect(0, 0, side, side);
  context.imageSmoothingQuality = "high";
  // Halves it again and again: one step would skip most pixels.
  let source = image, width = image.naturalWidth, height = image.naturalHeight;
  while (width > side * 2 && height > side * 2) {
    width = Math.ceil(width / 2);
    height = Math.ceil(height / 2);
    const half = new OffscreenCanvas(width, height);
    const drawing = half.getContext("2d", { colorSpace: "srgb" });
    drawing.imageSmoothingQuality = "high";
    drawing.drawImage(source, 0, 0, width, height);
    source = half;
  }
  context.drawImage(source, 0, 0, side, side);
  const { data } = context.getImageData(0, 0, side, side);
  const thumbnail = [...data].filter((_, at) => at % 4 !== 3);
  const size = { width: image.naturalWidth, height: image.naturalHeight, thumbnail };
  const bytes = await (await fetch(address)).arrayBuffer();
  const decoder = new ImageDecoder({ data: bytes, type });
  await decoder.completed;
  await decoder.tracks.ready;
  const { frameCount } = decoder.tracks.selectedTrack;
  const durations = [];
  for (let n = 0; n < frameCount && frameCount > 1; n += 1) {
    const { image: frame } = await decoder.decode({ frameIndex: n });
    durations.push(frame.duration / 1000);
    frame.close();
  }
  return { ...size, frames: frameCount, durations };
}`;

const types: Record<string, string> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
};

/** The type of a file that browsers show, by its name; undefined for others. */
export function browserType(file: string): string | undefined {
  return types[file.split(".").at(-1)?.toLowerCase() ?? ""];
}

/** Opens a page that shows images; null for a file that the browser can't decode. */
export async function openViewer(page: Page): Promise<(file: string) => Promise<Shown | null>> {
  const files = new Map<string, string>();
  await page.route("http://localhost/**", async (route) => {
    const file = files.get(new URL(route.request().url()).pathname);
    if (file === undefined) return route.fulfill({ contentType: "text/html", body: "" });
    return route.fulfill({ contentType: browserType(file) ?? "", body: await readFile(file) });
  });
  await page.goto("http://localhost/");
  return async (file) => {
    const path = `/${files.size}`;
    files.set(path, file);
    const found = `(${script})(${JSON.stringify(path)}, ${JSON.stringify(browserType(file))})`;
    return page.evaluate<Shown>(found).catch(() => null);
  };
}
