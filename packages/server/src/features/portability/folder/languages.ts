/**
 * ISO 639-1 codes of languages that sites are written in; `ml`, `cv`, `io`, and similar are more
 * often names of folders.
 */
const codes = new Set(
  "ar bg bn bs ca cs cy da de el en es et eu fa fi fr ga gl he hi hr hu hy id it ja ka ko lt lv ms nb nl nn no pl pt ro ru sk sl sq sr sv ta th tr uk ur vi zh".split(
    " ",
  ),
);

const longNames: Readonly<Record<string, string>> = {
  english: "en",
  german: "de",
  deutsch: "de",
  french: "fr",
  francais: "fr",
  spanish: "es",
  espanol: "es",
  italian: "it",
  italiano: "it",
  portuguese: "pt",
  dutch: "nl",
};

/** The language of a name, without its region, such as `pt` for `pt-BR`; null if it isn't one. */
export function languageOf(name: string): string | null {
  const plain = name.toLowerCase();
  const [code = "", region] = plain.split(/[-_]/);
  if (codes.has(code) && (region === undefined || /^[a-z]{2,4}$/.test(region))) return code;
  return longNames[plain] ?? null;
}

export interface LocalizedPath {
  /** Null if the path has none. */
  language: string | null;
  /** The path without the language, which is the same for all languages of a study. */
  neutral: string;
}

/** The language in a path, as a folder or before the extension. */
export function localizePath(path: string): LocalizedPath {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  const suffix = /^(.+)\.([A-Za-z]{2}(?:[-_][A-Za-z]{2,4})?)(\.[^.]+)$/.exec(name);
  const bySuffix = suffix?.[2] === undefined ? null : languageOf(suffix[2]);
  if (suffix !== null && bySuffix !== null) {
    return { language: bySuffix, neutral: [...parts, `${suffix[1]}${suffix[3]}`].join("/") };
  }
  // `IT/` may be a folder for work in IT: language codes are mostly in lower case.
  const index = parts.findIndex((part) => languageOf(part) !== null);
  if (index >= 0) {
    const language = languageOf(parts[index] ?? "");
    return { language, neutral: [...parts.toSpliced(index, 1), name].join("/") };
  }
  // A Hugo or Gatsby bundle with one file per language: en.md, index.md, fr.md.
  const stem = name.replace(/\.[^.]+$/, "");
  const named = parts.length > 0 ? languageOf(stem) : null;
  if (named !== null) {
    return { language: named, neutral: [...parts, name.replace(stem, "index")].join("/") };
  }
  return { language: null, neutral: path };
}

const configured: readonly RegExp[] = [
  /^\s*defaultContentLanguage\s*[:=]\s*["']?([A-Za-z]{2}(?:-[A-Za-z]+)?)/m,
  /\bdefault(?:Locale|Language|_lang|Lang)["']?\s*[:=]\s*["']?([A-Za-z]{2}(?:-[A-Za-z]+)?)/,
  /^\s*(?:languageCode|locale|lang)\s*[:=]\s*["']?([A-Za-z]{2}(?:[-_][A-Za-z]+)?)/m,
];

/** The default language in a generator's configuration; null if there is none. */
export function configuredLanguage(text: string): string | null {
  for (const pattern of configured) {
    const found = pattern.exec(text)?.[1];
    const language = found === undefined ? null : languageOf(found);
    if (language !== null) return language;
  }
  return null;
}

/**
 * The language to take the studies in: the site's default, else that of the files that name none
 * (null), else the one that most have, English before others.
 */
export function chooseLanguage(
  found: readonly (string | null)[],
  configuredAs: string | null,
): string | null {
  if (configuredAs !== null && found.includes(configuredAs)) return configuredAs;
  if (found.includes(null) || found.length === 0) return null;
  const counts = new Map<string, number>();
  for (const language of found) {
    if (language !== null) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const rank = (language: string) => (counts.get(language) ?? 0) + (language === "en" ? 0.5 : 0);
  return [...counts.keys()].toSorted((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1))[0] ?? null;
}
