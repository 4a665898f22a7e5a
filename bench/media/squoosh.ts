import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensurePeers, peerFolder } from "../support/peer-packages.ts";

/** Pixels with four channels of 8 bits. */
export interface Rgba {
  data: Uint8ClampedArray;
  width: number;
  height: number;
}

export type SquooshFormat = "jpeg" | "webp" | "avif";

/** Squoosh's encoders, with its default options, and its measure of what people see. */
export interface Squoosh {
  encode(format: SquooshFormat, image: Rgba): Promise<Buffer>;
  /** Compares others with this image: 0 for the same, about 1 where a difference becomes visible. */
  makeButteraugli(image: Rgba): { distance(other: Rgba): number; free(): void };
}

/** The encoders' files below @jsquash/<format>/codec/enc. */
const binaries: Record<SquooshFormat, string> = {
  jpeg: "mozjpeg_enc.wasm",
  webp: "webp_enc_simd.wasm",
  avif: "avif_enc.wasm",
};

/** Missing in the types, because there is no browser. */
const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: { compile(binary: Uint8Array): Promise<object> };
};

interface EncoderModule {
  init(binary: object): Promise<unknown>;
  default(image: Rgba): Promise<ArrayBuffer>;
}

async function openEncoder(format: SquooshFormat): Promise<EncoderModule["default"]> {
  const folder = join(peerFolder, "node_modules/@jsquash", format);
  const file = pathToFileURL(join(folder, "encode.js")).href;
  const { init, default: encode } = (await import(file)) as EncoderModule;
  // Node fetches no files.
  await init(await wasm.compile(await readFile(join(folder, "codec/enc", binaries[format]))));
  return encode;
}

interface ButteraugliModule {
  VisDiff: new (
    data: Uint8ClampedArray,
    width: number,
    height: number,
  ) => { distance(data: Uint8ClampedArray): number; delete(): void };
}

/**
 * Butteraugli, which Squoosh's library uses to choose qualities but doesn't export. Its loader is taken
 * out of the bundle, which as a whole refuses to run on today's Node.
 */
async function openButteraugli(): Promise<ButteraugliModule> {
  const folder = join(peerFolder, "node_modules/@squoosh/lib/build");
  const file = join(folder, "index.js");
  const bundle = await readFile(file, "utf8");
  const end = bundle.indexOf(";var visdifWasm");
  const start = bundle.lastIndexOf("var Module=function", end);
  if (end < 0 || start < 0) throw new Error("Squoosh's bundle has no butteraugli.");
  const source = `${bundle.slice(start, end)};return Module;`;
  // oxlint-disable-next-line no-new-func -- a package's own code, which can't be imported
  const load = new Function("require", "__filename", "__dirname", source) as (
    ...given: unknown[]
  ) => (options: object) => Promise<ButteraugliModule>;
  const wasmBinary = await readFile(join(folder, "visdif-f4d1bd06.wasm"));
  return load(createRequire(file), file, folder)({ wasmBinary, noInitialRun: true });
}

/** Opens Squoosh's codecs, installing them if they are missing. */
export async function openSquoosh(): Promise<Squoosh> {
  if (!ensurePeers("node_modules/@squoosh/lib/package.json")) {
    throw new Error("Squoosh's packages can't be installed into bench/peers/.");
  }
  const [jpeg, webp, avif, { VisDiff }] = await Promise.all([
    openEncoder("jpeg"),
    openEncoder("webp"),
    openEncoder("avif"),
    openButteraugli(),
  ]);
  const encoders = { jpeg, webp, avif };
  return {
    encode: async (format, image) => Buffer.from(await encoders[format](image)),
    makeButteraugli({ data, width, height }) {
      const comparator = new VisDiff(data, width, height);
      return {
        distance: (other) => comparator.distance(other.data),
        free: () => comparator.delete(),
      };
    },
  };
}
