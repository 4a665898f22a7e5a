export type Unit = "percent" | "money" | "plain";

export interface FoundNumber {
  /** As in the text, with its unit. */
  text: string;
  at: number;
  /** Possible values: "1.500" is one and a half, or one thousand five hundred. */
  values: readonly number[];
  unit: Unit;
  /** Whether it is written as a word. */
  isWord: boolean;
}

const scales: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mio: 1e6,
  million: 1e6,
  bn: 1e9,
  mrd: 1e9,
  billion: 1e9,
};

const currency = String.raw`[€$£¥]|(?:EUR|USD|GBP|CHF|SEK|NOK|DKK)\b`;
const currencyAfter = String.raw`[€$£¥]|(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|euros?|dollars?|pounds?|francs?|kronor|kr)\b`;
const space = String.raw`[ \u00a0\u202f]`;
/** Not part of a word, a version, a color, or an address. */
const apart = String.raw`(?<![\p{L}\p{N}_#]|\p{L}[.-]|\d[.,:])`;
const digits = String.raw`\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?![\d])(?:[.,]\d+)?|\d+(?:[.,]\d+)*`;

const numeral = new RegExp(
  String.raw`(?<before>(?:${currency})${space}?)?${apart}(?:(?<ratio>\d+:\d+(?::\d+)?)|(?<digits>${digits}))` +
    String.raw`(?:(?<scale>${space}?(?:thousand|million|billion|mio|mrd|bn)\b|[kKmM](?![\p{L}\p{N}²³]))\.?)?` +
    String.raw`(?:(?<percent>[ \u00a0\u202f-]?(?:%|per${space}?cent\b|pct\b|percentage points?\b))|(?<money>${space}?(?:${currencyAfter})))?` +
    String.raw`(?![\p{L}_]*\d)`,
  "gu",
);

const units =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const tens = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const small = new Map<string, number>([
  ...units.map((word, value): [string, number] => [word, value]),
  ...tens.map((word, i): [string, number] => [word, (i + 2) * 10]),
]);
const large = new Map([
  ["hundred", 100],
  ["thousand", 1e3],
  ["million", 1e6],
  ["billion", 1e9],
]);
/** Words that stand for a number alone. */
const others = new Map<string, readonly number[]>([
  ["dozen", [12]],
  ["dozens", [12]],
  ["hundreds", [100]],
  ["thousands", [1000]],
  ["millions", [1e6]],
  ["doubled", [2]],
  ["twofold", [2]],
  ["twice", [2]],
  ["tripled", [3]],
  ["threefold", [3]],
  ["quadrupled", [4]],
  ["halved", [0.5]],
  ["half", [0.5]],
]);

const basic = [...small.keys(), ...large.keys()].join("|");
const spelled = new RegExp(
  String.raw`(?<![\p{L}\p{N}-])(?:(?<several>(?:${basic})(?:(?:(?<=hundred|thousand|million)${space}+and${space}+|[- ]+)(?:${basic}))*)|(?<other>${[...others.keys()].join("|")}))` +
    String.raw`(?![\p{L}\p{N}])(?<percent>[ -](?:per${space}?cent|percentage points?)\b)?(?<money>${space}(?:euros?|dollars?|pounds?|francs?|kronor)\b)?`,
  "giu",
);

/** The possible values of digits with separators; empty for a version such as 2.0.1. */
function worth(written: string): number[] {
  const text = written.replace(/['’ \u00a0\u202f]/g, "");
  const separators = text.match(/[.,]/g) ?? [];
  if (separators.length === 0) return [Number(text)];
  const isGrouped = /^\d{1,3}(?:[.,]\d{3})+$/.test(text);
  const decimal = Number(text.replace(",", "."));
  if (separators.length === 1) {
    return isGrouped ? [Number(text.replace(/[.,]/, "")), decimal] : [decimal];
  }
  if (new Set(separators).size === 1) return isGrouped ? [Number(text.replace(/[.,]/g, ""))] : [];
  const at = Math.max(text.lastIndexOf("."), text.lastIndexOf(","));
  return [Number(`${text.slice(0, at).replace(/[.,]/g, "")}.${text.slice(at + 1)}`)];
}

function spelledWorth(words: string): number {
  let total = 0;
  let current = 0;
  for (const word of words.toLowerCase().split(/[^a-z]+/)) {
    const scale = large.get(word);
    if (scale === 100) current = Math.max(1, current) * 100;
    else if (scale !== undefined) {
      total += Math.max(1, current) * scale;
      current = 0;
    } else current += small.get(word) ?? 0;
  }
  return total + current;
}

/** A ratio or a time of day is mapped to a unique number, so that it equals nothing else. */
function ratioWorth(text: string): number {
  return Number(`-1${text.replaceAll(":", "0000")}`);
}

function numerals(text: string): FoundNumber[] {
  return [...text.matchAll(numeral)].flatMap((match): FoundNumber[] => {
    const { before, ratio, digits: written = "", scale = "", percent, money } = match.groups ?? {};
    const factor = scales[scale.trim().toLowerCase()] ?? 1;
    const values =
      ratio === undefined ? worth(written).map((value) => value * factor) : [ratioWorth(ratio)];
    if (values.length === 0) return [];
    const unit =
      percent !== undefined
        ? "percent"
        : before !== undefined || money !== undefined
          ? "money"
          : "plain";
    return [{ text: match[0].trim(), at: match.index, values, unit, isWord: false }];
  });
}

function spelledOut(text: string): FoundNumber[] {
  return [...text.matchAll(spelled)].map((match): FoundNumber => {
    const { several, other = "", percent, money } = match.groups ?? {};
    const values =
      several === undefined ? (others.get(other.toLowerCase()) ?? []) : [spelledWorth(several)];
    const unit = percent !== undefined ? "percent" : money !== undefined ? "money" : "plain";
    return { text: match[0].trim(), at: match.index, values, unit, isWord: true };
  });
}

/** The numbers in a text, in digits or English words, in order. */
export function findNumbers(text: string): FoundNumber[] {
  const inDigits = numerals(text);
  const rest = text.replace(numeral, (match) => " ".repeat(match.length));
  return [...inDigits, ...spelledOut(rest)].toSorted((one, other) => one.at - other.at);
}

/** Whether a number is known; a different unit makes it a different number. */
export function isKnownNumber(number: FoundNumber, known: readonly FoundNumber[]): boolean {
  return known.some(
    (other) =>
      (number.unit === "plain" || number.unit === other.unit || meansTheSame(number, other)) &&
      number.values.some((value) => scaledValues(number, other).includes(value)),
  );
}

/** "half" and "50 %" are equal. */
function meansTheSame(number: FoundNumber, other: FoundNumber): boolean {
  return number.unit === "percent" && other.isWord && other.values.includes(0.5);
}

function scaledValues(number: FoundNumber, other: FoundNumber): readonly number[] {
  return meansTheSame(number, other) ? [50] : other.values;
}
