/**
 * The encoder merges equal neighboring frames, and makes no animation if all are equal. This
 * separates the frames again, with single transparent pixels that change nothing, so that an
 * animation keeps its frame count and times. Container: RFC 9649.
 */

interface Chunk {
  id: string;
  data: Buffer;
}

/** What an animation keeps from its source file; times in ms. */
export interface FrameTimes {
  width: number;
  height: number;
  /** Of each frame. */
  delays: number[];
  /** How often it loops; 0 is forever. */
  loop: number;
}

const hasAnimation = 0x02;
const hasAlpha = 0x10;
/** A frame flag: its drawing is removed before the next frame. */
const disposes = 0x01;

/** A fully transparent, lossless 1 × 1 image: the content of a VP8L chunk. */
const nothing = Buffer.from("2f00000010071011118888fe07", "hex");

function readChunks(webp: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 12; at + 8 <= webp.length;) {
    const size = webp.readUInt32LE(at + 4);
    chunks.push({
      id: webp.toString("latin1", at, at + 4),
      data: webp.subarray(at + 8, at + 8 + size),
    });
    at += 8 + size + (size & 1);
  }
  return chunks;
}

function writeChunk({ id, data }: Chunk): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length & 1)]);
}

function writeFile(chunks: Chunk[]): Buffer {
  const body = Buffer.concat([Buffer.from("WEBP", "latin1"), ...chunks.map(writeChunk)]);
  const head = Buffer.alloc(8);
  head.write("RIFF", "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

/** A frame at the top left corner. */
function frame(width: number, height: number, delay: number, image: Chunk[]): Chunk {
  const head = Buffer.alloc(16);
  head.writeUIntLE(width - 1, 6, 3);
  head.writeUIntLE(height - 1, 9, 3);
  head.writeUIntLE(delay, 12, 3);
  return { id: "ANMF", data: Buffer.concat([head, ...image.map(writeChunk)]) };
}

function withDelay({ id, data }: Chunk, delay: number): Chunk {
  const changed = Buffer.from(data);
  changed.writeUIntLE(delay, 12, 3);
  return { id, data: changed };
}

/** As many of these delays as add up to `whole`; all of them for the last frame. */
function share(delays: number[], whole: number, isLast: boolean): number[] {
  if (isLast) return delays;
  let sum = 0;
  const count = delays.findIndex((delay) => (sum += delay) >= whole) + 1;
  return delays.slice(0, count);
}

/** The same frames with their original times; undefined if the times don't add up. */
function restoreFrames(frames: Chunk[], delays: number[]): Chunk[] | undefined {
  const apart: Chunk[] = [];
  let rest = delays;
  for (const [at, merged] of frames.entries()) {
    const whole = merged.data.readUIntLE(12, 3);
    const isLast = at === frames.length - 1;
    const own = share(rest, whole, isLast);
    if (own.reduce((sum, delay) => sum + delay, 0) !== whole) return undefined;
    rest = rest.slice(own.length);
    // What is removed after this frame would be missing in the frames that prolong it.
    const isTakenAway = ((merged.data[15] ?? 0) & disposes) !== 0 && !isLast;
    const [first = whole, ...others] = isTakenAway ? [whole] : own;
    const pixel = [{ id: "VP8L", data: nothing }];
    apart.push(withDelay(merged, first), ...others.map((delay) => frame(1, 1, delay, pixel)));
  }
  return apart;
}

function extended(width: number, height: number, flags: number): Chunk {
  const data = Buffer.alloc(10);
  data[0] = flags;
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return { id: "VP8X", data };
}

/** The encoded animation with all its original frames if possible; otherwise unchanged. */
export function keepFrames(webp: Buffer, times: FrameTimes): Buffer {
  const { width, height, loop } = times;
  const chunks = readChunks(webp);
  // The encoder uses a tenth of a second for frames with almost no duration.
  const delays = times.delays.map((delay) => (delay <= 10 ? 100 : delay));
  const total = delays.reduce((sum, delay) => sum + delay, 0);
  const animated = chunks.filter(({ id }) => id === "ANMF");
  if (animated.length >= delays.length) return webp;
  const still = chunks.filter(({ id }) => ["ALPH", "VP8 ", "VP8L"].includes(id));
  const frames = animated.length > 0 ? animated : [frame(width, height, total, still)];
  const apart = restoreFrames(frames, delays);
  if (apart === undefined) return webp;
  const anim = Buffer.alloc(6, 0xff);
  anim.writeUInt16LE(loop, 4);
  return writeFile([
    extended(width, height, hasAnimation | hasAlpha),
    { id: "ANIM", data: anim },
    ...apart,
  ]);
}
