import type { Readable } from "node:stream";

/**
 * Calls `listener` with each line of an untrusted stream. Lines longer than `maxLength` characters
 * are cut, so that a program that never ends a line costs no memory.
 */
export function eachLine(
  stream: Readable,
  maxLength: number,
  listener: (line: string) => void,
): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = chunk.split("\n");
    lines[0] = rest + (lines[0] ?? "");
    rest = (lines.pop() ?? "").slice(0, maxLength + 1);
    for (const line of lines) listener(line.slice(0, maxLength));
  });
  stream.on("end", () => {
    if (rest !== "") listener(rest.slice(0, maxLength));
  });
}
