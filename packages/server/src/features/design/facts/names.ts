import { isSentenceStart, withoutTechnologies } from "./technologies.ts";

export interface FoundName {
  text: string;
  at: number;
}

const wordsOf = (list: string): Set<string> => new Set(list.split(/\s+/).filter(Boolean));

/** Words that are capitalized, or begin a sentence, without being names. */
const common =
  wordsOf(`a an the this that these those it its he she they we i i'm i'd i've i'll you your our my
  their his her at in on of for from with without within by to into onto as and or but so if when while where who what why how
  after before during since until because every each all no not one two three first then now here there today both most some
  any many more less only also instead between across through over under about against per via is are was were
  monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october
  november december spring summer autumn winter christmas easter english german french swedish danish norwegian finnish dutch
  italian spanish portuguese polish greek turkish arabic japanese chinese korean russian european american british scottish
  irish welsh african asian nordic scandinavian baltic latin internet web earth europe monday's mr mrs ms dr
  ok yes the_ result results problem approach process outcome challenge solution role design research brief context team client
  background overview goal goals next project case study visit say people hours`);

/** Common abbreviations of the trade. */
const abbreviations =
  wordsOf(`API APIs UI UX CMS SEO PDF PDFs WCAG KPI KPIs B2B B2C CRM ERP FAQ GDPR HTML CSS CTA MVP QA AI ML NGO NGOs SaaS
  GPS USB RSS SVG PNG JPG GIF RGB CMYK PMS OKR IT HR PR TV DIY ID IDs URL URLs HTTP HTTPS JSON XML CSV SDK IDE OS PC PCs NFC QR RFID IoT AR VR XR
  CEO CTO CFO COO EU UK US USA UN AA AAA CD CI VAT SMS POS ATM DJ CV ISO DIN GIS LED LCD DOM SPA SSR
  EUR USD GBP CHF SEK NOK DKK`);

const folded = (word: string): string =>
  word
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/['’]s?$/, "");

/** The words of a text for comparison: without case, accents, and a possessive ending. */
export function foldedWords(text: string): Set<string> {
  const words = text.match(/[\p{L}\p{N}]+(?:['’&.-][\p{L}\p{N}]+)*/gu) ?? [];
  const all = new Set<string>();
  for (const word of words) {
    all.add(folded(word)).add(singular(folded(word)));
    for (const part of word.split(/['’&.-]/)) all.add(folded(part));
  }
  return all;
}

function singular(word: string): string {
  return word.replace(/(?:ies|s)$/, (end) => (end === "ies" ? "y" : ""));
}

const nameWord = String.raw`\p{Lu}[\p{L}\p{N}]*(?:['’&.-][\p{L}\p{N}]+)*`;
const sequence = new RegExp(
  String.raw`(?<![\p{L}\p{N}_@/.])${nameWord}(?:(?: (?:&|of|de|von|van|der|du|la|and) (?=\p{Lu})| (?=\p{Lu}))${nameWord})*`,
  "gu",
);
const quoted = /[“"„«]([^“”"„«»\n]{2,60})[”"“»]/gu;
/** Words that precede a client's name, whatever the case of the line. */
const behind = /\b(?:for|at|with|by|from) $/i;

/** Whether most words of a line are capitalized, as in headings and job titles. */
function isTitleCase(line: string): boolean {
  if (/[.!?]["”’)]*\s*$/.test(line)) return false;
  const [, ...words] = line.match(/\p{L}{3,}/gu) ?? [];
  const capital = words.filter((word) => /^\p{Lu}/u.test(word));
  return words.length < 9 && capital.length > words.length / 2;
}

/** Whether a text's language capitalizes all nouns, as German does. */
export function capitalizesNouns(text: string): boolean {
  const inside = text.match(/(?<=\p{Ll},? )\p{L}{4,}/gu) ?? [];
  const capital = inside.filter((word) => /^\p{Lu}/u.test(word));
  return inside.length >= 12 && capital.length / inside.length > 0.25;
}

export interface NameRules {
  /** The owner's words, from `foldedWords`. */
  ownerVocabulary: ReadonlySet<string>;
  /** Accepts only names of two words or in quotation marks. */
  strict: boolean;
  /** A short text whose words may all be capitalized: a role, a label. */
  isLabel: boolean;
}

function isKnownWord(word: string, known: ReadonlySet<string>): boolean {
  const plain = folded(word);
  return (
    abbreviations.has(word) ||
    common.has(plain) ||
    // H.264, A4, Q3
    /^\p{Lu}[.-]?\d+$/u.test(word) ||
    known.has(plain) ||
    known.has(singular(plain)) ||
    (plain.includes("-") && plain.split("-").every((part) => known.has(part) || common.has(part)))
  );
}

/** The unknown part of a run of capitalized words: all of it, or null. */
function unknownPart(words: readonly string[], known: ReadonlySet<string>): string | null {
  const open = words.filter((word) => /^\p{Lu}/u.test(word) && !isKnownWord(word, known));
  return open.length === 0 ? null : words.join(" ");
}

function inLine(line: string, { ownerVocabulary: known, strict, isLabel }: NameRules): FoundName[] {
  const titled = isLabel || isTitleCase(line);
  return [...line.matchAll(sequence)].flatMap((match): FoundName[] => {
    const words = match[0].split(" ");
    const at = match.index;
    const first = isSentenceStart(line, at);
    if (titled && !behind.test(line.slice(0, at)) && !/\p{L}& ?\p{L}/u.test(match[0])) return [];
    // The first word of a sentence is capitalized anyway.
    const own = first && !isNameEnding(words) ? words.slice(1) : words;
    const rest = own.filter((word, i) => i > 0 || !common.has(folded(word)));
    if (rest.filter((word) => /^\p{Lu}/u.test(word)).length < (strict ? 2 : 1)) return [];
    const text = unknownPart(rest, known);
    return text === null ? [] : [{ text: text.replace(/['’]s$/, ""), at: line.indexOf(text, at) }];
  });
}

/** Whether the second word shows that the first is part of a name. */
function isNameEnding(words: readonly string[]): boolean {
  if (words.length < 2) return false;
  const [head = "", second = ""] = words;
  return (
    !common.has(folded(head)) &&
    !/ing$|ed$/.test(head) &&
    ((/^[&]|^\p{Lu}/u.test(second) && !common.has(folded(second))) || second === "of")
  );
}

function inQuotes(text: string, { ownerVocabulary: known }: NameRules): FoundName[] {
  return [...text.matchAll(quoted)].flatMap((match): FoundName[] => {
    const inside = match[1] ?? "";
    const words = inside.split(/\s+/);
    if (words.length > 5 || !/^\p{Lu}/u.test(inside) || /[.!?]$/.test(inside)) return [];
    return unknownPart(words, known) === null ? [] : [{ text: inside, at: match.index + 1 }];
  });
}

/**
 * Unknown names of clients and organizations in a text: capitalized words inside a sentence,
 * several of them anywhere, and quoted names. Technologies don't count.
 */
export function findUnknownNames(text: string, rules: NameRules): FoundName[] {
  const plain = withoutTechnologies(text).replace(/[*_`#]+/g, (marks) => " ".repeat(marks.length));
  const quotedNames = inQuotes(plain, rules);
  const names: FoundName[] = [];
  let start = 0;
  for (const line of plain.split("\n")) {
    for (const { text: name, at } of inLine(line, rules))
      names.push({ text: name, at: at + start });
    start += line.length + 1;
  }
  const extra = quotedNames.filter(
    (name) => !names.some((other) => other.at >= name.at && other.at < name.at + name.text.length),
  );
  return [...names, ...extra].toSorted((one, other) => one.at - other.at);
}
