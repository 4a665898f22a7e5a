/** A page without its tags, and where each was. */
export interface Stripped {
  clean: Uint8Array<ArrayBuffer>;
  /** Distance in bytes from the place before (from the start for the first) and tag, in turns. */
  marks: number[];
}

const space = 0x20;
const equals = 0x3d;
const quote = 0x22;
const zero = 0x30;

/** The number at the place of `="12"`, and where it ends; undefined where something else is. */
function readValue(page: Buffer, at: number): { tag: number; end: number } | undefined {
  if (page[at] !== equals || page[at + 1] !== quote) return undefined;
  let tag = 0;
  let end = at + 2;
  for (; ; end += 1) {
    const digit = (page[end] ?? 0) - zero;
    if (digit < 0 || digit > 9) break;
    tag = tag * 10 + digit;
  }
  return page[end] === quote && end > at + 2 && end < at + 12 ? { tag, end: end + 1 } : undefined;
}

/**
 * Takes the tags out of a rendered page. Undefined where the name stands in it in any other way:
 * page code has seen a tag and made something of it, so that without tags the page would be another.
 */
export function stripTags(page: Buffer, name: string): Stripped | undefined {
  const clean = Buffer.allocUnsafeSlow(page.length);
  const marks: number[] = [];
  let length = 0;
  let from = 0;
  let last = 0;
  for (;;) {
    const at = page.indexOf(name, from, "latin1");
    if (at < 0) break;
    const value = readValue(page, at + name.length);
    if (value === undefined || page[at - 1] !== space) return undefined;
    length += page.copy(clean, length, from, at - 1);
    marks.push(length - last, value.tag);
    last = length;
    from = value.end;
  }
  length += page.copy(clean, length, from);
  return { clean: clean.subarray(0, length), marks };
}
