/** How much around a difference is shown, in characters. */
const around = 60;

/** A text with its part that the other text does not have. */
export interface ValueDiff {
  before: string;
  differs: string;
  after: string;
}

function commonStart(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  let length = 0;
  while (length < max && one[length] === other[length]) length += 1;
  return length;
}

function commonEnd(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  let length = 0;
  while (length < max && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}

function cut(text: string, start: number, end: number): ValueDiff {
  const from = Math.max(0, start - around);
  const tail = text.slice(text.length - end);
  return {
    before: `${from > 0 ? "…" : ""}${text.slice(from, start)}`,
    differs: text.slice(start, text.length - end),
    after: tail.length > around ? `${tail.slice(0, around)}…` : tail,
  };
}

/** Where two texts differ, each with a little of what stands around it. */
export function diffExcerpts(one: string, other: string): [ValueDiff, ValueDiff] {
  const start = commonStart(one, other);
  const end = commonEnd(one.slice(start), other.slice(start));
  return [cut(one, start, end), cut(other, start, end)];
}
