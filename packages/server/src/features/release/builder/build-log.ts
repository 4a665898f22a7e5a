import type { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { eachLine } from "../../../platform/sandbox/lines.ts";

const maxLineLength = 2000;

/** The end of what a build prints, for people: without colors, bounded in lines and bytes. */
export interface BuildLog {
  follow(stream: Readable): void;
  /** The last 200 kB. */
  text(): string;
}

/** Collects a build's log; `onLine` hears the first 200 kB as they come. */
export function makeBuildLog(onLine: ((line: string) => void) | undefined): BuildLog {
  const maxBytes = 200_000;
  const lines: string[] = [];
  let bytes = 0;
  let heard = 0;
  const add = (raw: string) => {
    const line = stripVTControlCharacters(raw).replaceAll(/[^\P{Cc}\t]/gu, "");
    lines.push(line);
    bytes += line.length + 1;
    while (bytes > maxBytes) bytes -= (lines.shift() ?? "").length + 1;
    heard += line.length + 1;
    if (heard <= maxBytes) onLine?.(line);
  };
  return {
    follow: (stream) => eachLine(stream, maxLineLength, add),
    text: () => lines.join("\n"),
  };
}
