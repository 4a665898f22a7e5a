export interface FoundDate {
  text: string;
  at: number;
  /** Its parts: `y2024`, `m3`, `d12`, `q1`, `spring`. */
  parts: readonly string[];
}

const months =
  "january|february|march|april|may|june|july|august|september|october|november|december".split(
    "|",
  );
const monthName = String.raw`(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?`;
/** Month names that aren't other words of the language. */
const onlyMonths = "January|February|April|June|July|September|October|November|December";
const year = String.raw`(?:19|20)\d\d`;
const day = String.raw`[0-3]?\d(?:st|nd|rd|th)?`;
const end = String.raw`(?![\p{L}\p{N}])`;
const start = String.raw`(?<![\p{L}\p{N}_#/]|\d[.,])`;

type Read = (groups: Record<string, string | undefined>) => string[];

const yearPart = (text: string | undefined): string[] =>
  text === undefined ? [] : [`y${Number(text)}`];
const dayPart = (text: string | undefined): string[] =>
  text === undefined ? [] : [`d${Number.parseInt(text, 10)}`];
function monthPart(text: string | undefined): string[] {
  if (text === undefined) return [];
  const number = /^\d+$/.test(text)
    ? Number(text)
    : months.findIndex((month) =>
        month.startsWith(text.toLowerCase().replace(".", "").slice(0, 3)),
      ) + 1;
  return [`m${number}`];
}
const all: Read = ({ y, y2, m, d }) => [
  ...yearPart(y),
  ...yearPart(y2),
  ...monthPart(m),
  ...dayPart(d),
];

/** In this order: what one pattern matches is hidden from the next ones. */
const forms: readonly [pattern: RegExp, read: Read][] = [
  [
    new RegExp(
      String.raw`${start}(?<y>${year})-(?<m>0[1-9]|1[0-2])(?:-(?<d>[0-3]\d))?${end}`,
      "gu",
    ),
    all,
  ],
  [
    new RegExp(
      String.raw`${start}(?:(?<d>[0-3]?\d)[./])?(?<m>0?[1-9]|1[0-2])[./](?<y>${year})${end}`,
      "gu",
    ),
    all,
  ],
  [
    new RegExp(
      String.raw`${start}(?:(?<d>${day})\.?\s+(?:of\s+)?)?(?<m>${monthName})(?:\s+(?<y>${year}))${end}`,
      "gu",
    ),
    all,
  ],
  [
    new RegExp(
      String.raw`${start}(?<m>${monthName})\s+(?<d>${day})(?:,?\s+(?<y>${year}))?${end}`,
      "gu",
    ),
    all,
  ],
  [new RegExp(String.raw`${start}(?<d>${day})\.?\s+(?:of\s+)?(?<m>${monthName})${end}`, "gu"), all],
  [
    new RegExp(String.raw`${start}Q(?<q>[1-4])(?:\s*[/-]?\s*(?<y>${year}))?${end}`, "gu"),
    ({ q = "", y }) => [`q${q}`, ...yearPart(y)],
  ],
  [
    new RegExp(
      String.raw`${start}(?<s>spring|summer|autumn|fall|winter)\s+(?:of\s+)?(?<y>${year})${end}`,
      "giu",
    ),
    ({ s = "", y }) => [s.toLowerCase().replace("fall", "autumn"), ...yearPart(y)],
  ],
  [
    new RegExp(String.raw`${start}(?<y>${year})\s?[–—/-]\s?(?<short>\d\d)${end}`, "gu"),
    ({ y = "", short = "" }) => [`y${y}`, `y${y.slice(0, 2)}${short}`],
  ],
  [
    new RegExp(
      String.raw`${start}(?<y>${year})(?:s${end}|(?![\p{L}\p{N}]|[.,:]\d|[ \u00a0\u202f]?[%€$£]))`,
      "gu",
    ),
    all,
  ],
  [
    new RegExp(String.raw`(?<![\p{L}\p{N}])['’](?<short>[0-3]\d)(?![\p{L}\p{N}])`, "gu"),
    ({ short = "" }) => [`y20${short}`],
  ],
  [new RegExp(String.raw`(?<![\p{L}])(?<m>${onlyMonths})(?![\p{L}])`, "gu"), all],
  [
    new RegExp(
      String.raw`(?<=\b(?:in|since|until|by|from|to|last|this|early|late|mid)[ -])(?<m>March|May|August)(?![\p{L}])`,
      "gu",
    ),
    all,
  ],
];

const blank = (text: string): string => " ".repeat(text.length);

/** The dates in a text, and the text with them blanked out. */
export function findDates(text: string): { dates: FoundDate[]; rest: string } {
  const dates: FoundDate[] = [];
  let rest = text;
  for (const [pattern, read] of forms) {
    for (const match of rest.matchAll(pattern)) {
      dates.push({ text: match[0].trim(), at: match.index, parts: read(match.groups ?? {}) });
    }
    rest = rest.replace(pattern, blank);
  }
  return { dates: dates.toSorted((a, b) => a.at - b.at), rest };
}
