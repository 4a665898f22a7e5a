import { join } from "node:path";
import sharp from "sharp";
import { run, systemPath } from "../../packages/server/src/platform/process.ts";

/** An image of one color as a photo from a camera is: JPEG, with a place in its metadata. */
export async function makePhoto(
  dir: string,
  name: string,
  options: { color: string; width?: number; height?: number },
): Promise<string> {
  const { color: background, width = 2400, height = 1600 } = options;
  const file = join(dir, name);
  await sharp({ create: { width, height, channels: 3, background } })
    .withExif({ IFD3: { GPSLatitudeRef: "N", GPSLatitude: "59/1 19/1 0/1" } })
    .jpeg()
    .toFile(file);
  return file;
}

/** A video of some seconds with sound. */
export async function makeVideo(dir: string, name: string, seconds = 1): Promise<string> {
  const file = join(dir, name);
  const source = `testsrc2=size=640x360:rate=24:duration=${seconds}`;
  const sound = `sine=frequency=440:duration=${seconds}`;
  const inputs = ["-f", "lavfi", "-i", source, "-f", "lavfi", "-i", sound];
  const output = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", file];
  const { exitCode, stderr } = await run("ffmpeg", ["-y", ...inputs, ...output], {
    env: { PATH: systemPath },
  });
  if (exitCode !== 0) throw new Error(stderr);
  return file;
}
