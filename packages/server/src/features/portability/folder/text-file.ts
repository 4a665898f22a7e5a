/** A file's text with line feeds, or why it isn't text. */
export type TextFile = { text: string } | { fault: string };

/** The line of the byte at `offset`, from 1. */
function lineAt(bytes: Uint8Array, offset: number): number {
  let line = 1;
  for (let i = 0; i < offset; i += 1) if (bytes[i] === 10) line += 1;
  return line;
}

/** The position of the first byte that isn't valid UTF-8; the length if there is none. */
function firstWrong(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  const isSound = (end: number, stream = true) => {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, end), { stream });
      return true;
    } catch {
      return false;
    }
  };
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isSound(middle)) low = middle;
    else high = middle - 1;
  }
  // Back to the start of the incomplete character.
  while (low > 0 && !isSound(low, false)) low -= 1;
  return low;
}

/**
 * Reads a file's bytes as UTF-8, with or without a byte order mark and with any kind of line ends.
 * Says what the bytes are where they are something else.
 */
export function readText(bytes: Uint8Array): TextFile {
  if (bytes.length === 0) return { fault: "is empty" };
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { fault: "is in UTF-16. Save it as UTF-8" };
  }
  if (bytes.includes(0)) return { fault: "isn't text" };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const unified = text.replace(/\r\n?/g, "\n");
    return unified.trim() === "" ? { fault: "is empty" } : { text: unified };
  } catch {
    const wrong = firstWrong(bytes);
    const byte = (bytes[wrong] ?? 0).toString(16).toUpperCase().padStart(2, "0");
    const where = `line ${lineAt(bytes, wrong)}`;
    return { fault: `is not UTF-8 (byte ${byte} in ${where}), perhaps Latin-1. Save it as UTF-8` };
  }
}
