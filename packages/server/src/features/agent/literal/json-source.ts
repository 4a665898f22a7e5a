import type { Segment } from "./segment.ts";

export type JsonPath = (string | number)[];

export interface JsonString extends Segment {
  path: JsonPath;
}

/**
 * The string values of a JSON text, with their paths and offsets. Editing in place keeps the file's
 * formatting, which parsing and printing wouldn't. For text that isn't JSON, returns what was read
 * before the error.
 */
export function readJson(source: string): JsonString[] {
  const found: JsonString[] = [];
  let at = 0;

  function skipSpace(): void {
    while (/\s/.test(source[at] ?? "")) at += 1;
  }

  /** Starts at an opening quote; returns the offsets inside it. */
  function readString(): { start: number; end: number } {
    const start = at + 1;
    at = start;
    while (at < source.length && source[at] !== '"') at += source[at] === "\\" ? 2 : 1;
    at += 1;
    return { start, end: at - 1 };
  }

  function readObject(path: JsonPath): void {
    at += 1;
    for (skipSpace(); at < source.length && source[at] !== "}"; skipSpace()) {
      if (source[at] !== '"') {
        at += 1;
        continue;
      }
      const key = readString();
      skipSpace();
      at += 1;
      readValue([...path, source.slice(key.start, key.end)]);
    }
    at += 1;
  }

  function readArray(path: JsonPath): void {
    at += 1;
    let index = 0;
    for (skipSpace(); at < source.length && source[at] !== "]"; skipSpace()) {
      if (source[at] === ",") {
        at += 1;
        continue;
      }
      readValue([...path, index]);
      index += 1;
    }
    at += 1;
  }

  function readValue(path: JsonPath): void {
    skipSpace();
    const c = source[at];
    if (c === "{") readObject(path);
    else if (c === "[") readArray(path);
    else if (c === '"') {
      const name = path.findLast((part) => typeof part === "string") ?? "";
      found.push({ kind: "json", ...readString(), quote: '"', name: String(name), tag: "", path });
    } else {
      do at += 1;
      while (at < source.length && !/[,}\]\s]/.test(source[at] ?? ""));
    }
  }

  readValue([]);
  return found;
}

/** The string at a path. */
export function jsonStringAt(source: string, path: JsonPath): JsonString | undefined {
  const wanted = JSON.stringify(path);
  return readJson(source).find((value) => JSON.stringify(value.path) === wanted);
}
