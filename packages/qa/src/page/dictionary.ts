import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The words of a language, in lower case. */
export interface Dictionary {
  has(word: string): boolean;
}

interface Rule {
  flag: string;
  strip: string;
  add: string;
  condition: RegExp;
}

/** The affix rules (Hunspell, PFX and SFX), by the affix that they add. */
function readRules(aff: string, kind: "PFX" | "SFX"): Map<string, Rule[]> {
  const rules: Rule[] = [];
  for (const line of aff.split("\n")) {
    const [name, flag = "", strip = "", add = "", condition] = line.split(/\s+/);
    // The header of a group has only four fields.
    if (name !== kind || condition === undefined || condition === "") continue;
    const pattern = kind === "SFX" ? `${condition}$` : `^${condition}`;
    rules.push({
      flag,
      strip: strip === "0" ? "" : strip,
      add: add === "0" ? "" : add,
      condition: new RegExp(condition === "." ? "" : pattern),
    });
  }
  return Map.groupBy(rules, ({ add }) => add);
}

const noSuggest = "!";

/** Stems with the flags of the rules that apply to them. */
function readStems(dic: string): Map<string, string> {
  const stems = new Map<string, string>();
  const entry = /^([A-Za-z']+)(?:\/(\S*))?\s*$/gm;
  entry.lastIndex = dic.indexOf("\n") + 1;
  for (let found = entry.exec(dic); found; found = entry.exec(dic)) {
    const [, word = "", flags = ""] = found;
    const lower = word.toLowerCase();
    stems.set(lower, (stems.get(lower) ?? "") + flags.replace(noSuggest, ""));
  }
  return stems;
}

/**
 * Reads a Hunspell dictionary: words are taken apart when they are looked up, instead of generated
 * in advance.
 */
export function readDictionary(aff: string, dic: string): Dictionary {
  const stems = readStems(dic);
  const suffixes = readRules(aff, "SFX");
  const prefixes = readRules(aff, "PFX");
  const maxLength = Math.max(...[...suffixes.keys()].map((add) => add.length));
  const fits = (stem: string, flag: string, also: string): boolean => {
    const flags = stems.get(stem);
    return flags !== undefined && flags.includes(flag) && flags.includes(also);
  };
  const withSuffix = (word: string, also = ""): boolean => {
    for (let length = 1; length <= Math.min(maxLength, word.length - 1); length++) {
      for (const { flag, strip, condition } of suffixes.get(word.slice(-length)) ?? []) {
        const stem = word.slice(0, -length) + strip;
        if (fits(stem, flag, also) && condition.test(stem)) return true;
      }
    }
    return false;
  };
  const withPrefix = (word: string): boolean => {
    for (const [add, rules] of prefixes) {
      if (!word.startsWith(add) || word.length <= add.length + 1) continue;
      const rest = word.slice(add.length);
      if (rules.some(({ flag }) => fits(rest, flag, "") || withSuffix(rest, flag))) return true;
    }
    return false;
  };
  return { has: (word) => stems.has(word) || withSuffix(word) || withPrefix(word) };
}

let english: Dictionary | undefined;

/** American English. Loaded on first use, because it is half a megabyte. */
export function englishDictionary(): Dictionary {
  if (english) return english;
  const folder = dirname(createRequire(import.meta.url).resolve("dictionary-en"));
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  english = readDictionary(read("index.aff"), read("index.dic"));
  return english;
}
