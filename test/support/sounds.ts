/** A silent video of five seconds, 16 × 16 gray pixels. WebM, VP8. */
export const silentVideo: Buffer = Buffer.from(
  "GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZwEAAAAAAAJLEU2bdLpNu4tTq4QVSalmU6yBoU27i1OrhBZUrmtTrIHYTbuMU6uEElTDZ1OsggEeTbuMU6uEHFO7a1OsggI17AEAAAAAAABZAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVSalmsirXsYMPQkBNgI1MYXZmNTkuMjcuMTAwV0GNTGF2ZjU5LjI3LjEwMESJiECziAAAAAAAFlSua8GuAQAAAAAAADjXgQFzxYgHDBy3mTFjNJyBACK1nIN1bmSIgQCGhVZfVlA4g4EBI+ODhDuaygDgibCBELqBEJqBAhJUw2f9c3OgY8CAZ8iaRaOHRU5DT0RFUkSHjUxhdmY1OS4yNy4xMDBzc9djwItjxYgHDBy3mTFjNGfIoUWjh0VOQ09ERVJEh5RMYXZjNTkuMzcuMTAwIGxpYnZweGfIokWjiERVUkFUSU9ORIeUMDA6MDA6MDUuMDAwMDAwMDAwAAAfQ7Z1QI/ngQCjooEAAIAQAgCdASoQABAAAEcIhYWImYSIAgIADA1gAP7D4ACjmIED6ACxAQABEBAAGAAwP/QMAAAA/sPgAKOYgQfQALEBAAEQEAAYADA/9AwAAAD+w+AAo5iBC7gAsQEAARAQABgAMD/0DAAAAP7D4ACjmIEPoACxAQABEBAAGAAwP/QMAAAA/sPgABxTu2uRu4+zgQC3iveBAfGCAaDwgQM=",
  "base64",
);

/** A tone of this many seconds: WAV, 8,000 samples a second, 8 bits each. */
export function toneOf(seconds: number): Buffer {
  const rate = 8000;
  const samples = Buffer.alloc(rate * seconds, 0);
  for (const at of samples.keys()) samples[at] = 128 + Math.round(60 * Math.sin(at / 3));
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
