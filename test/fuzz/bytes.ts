import * as fc from "fast-check";

type Change = (bytes: Buffer) => Buffer;

/** Changes of the kinds that break parsers: single bytes, lengths, parts that are missing or double. */
const change: fc.Arbitrary<Change> = fc
  .record({
    how: fc.constantFrom("flip", "cut", "drop", "double", "fill", "size", "insert"),
    at: fc.double({ min: 0, max: 0.999_999, noNaN: true }),
    length: fc.integer({ min: 1, max: 64 }),
    byte: fc.constantFrom(0, 1, 0x7f, 0x80, 0xff),
  })
  .map(({ how, at, length, byte }) => (bytes) => {
    const start = Math.floor(at * bytes.length);
    const [before, part, after] = [
      bytes.subarray(0, start),
      bytes.subarray(start, start + length),
      bytes.subarray(start + length),
    ];
    if (how === "cut") return before;
    if (how === "drop") return Buffer.concat([before, after]);
    if (how === "double") return Buffer.concat([before, part, part, after]);
    if (how === "insert") return Buffer.concat([before, Buffer.alloc(length, byte), part, after]);
    const copy = Buffer.from(bytes);
    if (how === "fill") copy.fill(byte, start, Math.min(start + length, copy.length));
    if (how === "flip" && copy.length > 0) copy[start] = (copy[start] ?? 0) ^ (1 << (length & 7));
    if (how === "size" && copy.length >= start + 4) copy.writeUInt32BE(byte * 0x01_01_01_01, start);
    return copy;
  });

/** One of the samples, whole or changed in up to six places. */
export function mutated(samples: readonly Buffer[]): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.nat(samples.length - 1), fc.array(change, { maxLength: 6 }))
    .map(([index, changes]) =>
      changes.reduce((bytes, apply) => apply(bytes), samples[index] ?? Buffer.alloc(0)),
    );
}
