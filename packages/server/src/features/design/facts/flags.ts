import type { BuiltFields, Flag } from "../schema.ts";
import { type FoundDate, findDates } from "./dates.ts";
import { capitalizesNouns, findUnknownNames, foldedWords } from "./names.ts";
import { findNumbers, isKnownNumber, type FoundNumber } from "./numbers.ts";

/** What the owner has said; claims have to occur in it. */
export interface KnownFacts {
  numbers: readonly FoundNumber[];
  dates: ReadonlySet<string>;
  words: ReadonlySet<string>;
  /** Whether its language capitalizes all nouns. */
  capitals: boolean;
}

/** Reads what the owner has said: brief, name, category, the current record. */
export function readKnownFacts(texts: readonly string[]): KnownFacts {
  const text = texts.join("\n\n");
  return {
    numbers: findNumbers(text),
    dates: new Set(findDates(text).dates.flatMap(({ parts }) => parts)),
    words: foldedWords(text),
    capitals: capitalizesNouns(text),
  };
}

type TextKind = "prose" | "label" | "image";

/** Up to here, people count by looking at an image. */
const countable = 20;
const timeSuffixes = /^-(?:year|month|week|day|hour|minute|person|people|fold|page|strong)/;

/** Removes addresses and list numbers, which claim nothing. */
function withoutMarks(text: string): string {
  return text
    .replace(/(?:https?:\/\/|\/media\/)\S+/g, (match) => " ".repeat(match.length))
    .replace(/^\s*\d{1,2}[.)](?=\s)/gm, (match) => " ".repeat(match.length))
    .replace(/\b24\/7\b|\b[23]-?D\b/g, (match) => " ".repeat(match.length));
}

function isClaim(number: FoundNumber, text: string, textKind: TextKind): boolean {
  const { values, unit, isWord } = number;
  if (textKind === "image" && unit === "plain" && values.every((value) => value <= countable))
    return false;
  if (!isWord || unit !== "plain") return true;
  if (values.every((value) => value <= 1 && value !== 0.5)) return false;
  const after = text.slice(number.at + number.text.length);
  // "Two-column layout" counts nothing that happened.
  return !after.startsWith("-") || timeSuffixes.test(after);
}

function isKnownDate({ parts }: FoundDate, known: KnownFacts): boolean {
  return parts.every(
    (part) =>
      known.dates.has(part) ||
      (part.startsWith("y") &&
        known.numbers.some(({ values }) => values.includes(Number(part.slice(1))))),
  );
}

/** The numbers, dates, and names in a text that aren't known, each once. */
export function flagsOf(
  path: string,
  text: string,
  known: KnownFacts,
  textKind: TextKind = "prose",
): Flag[] {
  const plain = withoutMarks(text);
  const { dates, rest } = findDates(plain);
  const found = [
    ...dates
      .filter((date) => !isKnownDate(date, known))
      .map(({ at, text: ownerInput }) => ({ at, text: ownerInput, kind: "date" as const })),
    ...findNumbers(rest)
      .filter((number) => isClaim(number, rest, textKind) && !isKnownNumber(number, known.numbers))
      .map(({ at, text: ownerInput }) => ({ at, text: ownerInput, kind: "number" as const })),
    ...findUnknownNames(rest, {
      ownerVocabulary: known.words,
      strict: textKind === "image" || known.capitals,
      isLabel: textKind === "label",
    }).map(({ at, text: ownerInput }) => ({ at, text: ownerInput, kind: "name" as const })),
  ].toSorted((one, other) => one.at - other.at);
  const seen = new Set<string>();
  return found.flatMap(({ text: ownerInput, kind }) => {
    if (seen.has(ownerInput)) return [];
    seen.add(ownerInput);
    return [{ path, text: ownerInput, kind }];
  });
}

/** All texts of a record with their location and how to read them. */
function textsOf(record: BuiltFields): [path: string, text: string, manner: TextKind][] {
  const texts: [string, string, TextKind][] = [];
  const add = (textKind: TextKind, path: string, text: string): void => {
    texts.push([path, text, textKind]);
  };
  for (const field of ["summary", "lede", "body"] as const) add("prose", field, record[field]);
  for (const field of ["kind", "period", "role"] as const) add("label", field, record[field]);
  for (const field of ["categories", "stack"] as const)
    for (const [i, word] of record[field].entries()) add("label", `${field}.${i}`, word);
  for (const [i, { group, items }] of record.skills.entries()) {
    add("label", `skills.${i}.group`, group);
    for (const [n, item] of items.entries()) add("label", `skills.${i}.items.${n}`, item);
  }
  for (const [i, { value, label, note = "" }] of record.metrics.entries()) {
    add("label", `metrics.${i}.value`, value);
    add("label", `metrics.${i}.label`, label);
    add("prose", `metrics.${i}.note`, note);
  }
  for (const [i, { caption, alt = "" }] of record.gallery.entries()) {
    add("image", `gallery.${i}.caption`, caption);
    add("image", `gallery.${i}.alt`, alt);
  }
  return texts;
}

/** The claims in a record that its owner never made, in the order of the record. */
export function flagsOfRecord(record: BuiltFields, known: KnownFacts): Flag[] {
  return textsOf(record).flatMap(([path, text, textKind]) => flagsOf(path, text, known, textKind));
}
