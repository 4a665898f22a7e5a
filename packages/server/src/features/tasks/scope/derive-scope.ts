import type { ScopeKind, StyleAspect, TaskKind, TaskScope } from "../schema.ts";
import { findSensitiveText } from "../review/rules/sensitive-text.ts";
import { isDictation, piecesOf, rewritesIn } from "./dictation.ts";

/** The parts of a finding that show what its fix is about. */
export interface ScopeFinding {
  /** ID of the check. */
  check: string;
  /** Its pages, root-relative. */
  pages: readonly string[];
  /** What is wrong there: the address of a link or an image, a word. */
  targets: readonly string[];
}

export interface ScopeSource {
  kind: TaskKind;
  /** The owner's own words; for a finding, only the owner's note. */
  instruction: string;
  pageUrl: string | null;
  /** The path of the page of the task's project; null without one. */
  projectPath: string | null;
  hasAttachments: boolean;
  finding: ScopeFinding | null;
}

const maxRead = 8000;

const quoted =
  /["“”„«»]([^"“”„«»]{1,500})["“”„«»]|(?<![\p{L}\p{N}])[‘‚‹']([^‘’‚‹›'\n]{2,500})[’›'](?![\p{L}\p{N}])/gu;

function quotesIn(text: string): string[] {
  const found = [...text.matchAll(quoted)].map(([, double, single]) =>
    (double ?? single ?? "").replace(/\s+/g, " ").trim(),
  );
  return [...new Set(found)].filter((quote) => quote !== "").slice(0, 20);
}

const word = "[\\p{L}\\p{N}’'-]+";
const pathPattern =
  /(?<![\p{L}\p{N}:/._-])\/(?:[a-z0-9_-]+\/){0,6}(?:[a-z0-9_-]+)?(?![\p{L}\p{N}.])/giu;
const namedPage = new RegExp(`((?:${word}\\s+){1,5})(?:page|pages|case study)\\b`, "giu");
const afterOn = new RegExp(
  `\\b(?:on|in|of|from|under|page)\\s+(?:the\\s+|my\\s+|our\\s+)?((?:${word}\\s*){1,5})`,
  "giu",
);
const leading = new RegExp(`^\\s*((?:${word}\\s*){1,3}):`, "u");
const stopWords = new Set(
  "a an the my our this that these those on in of to from at for with and or every each all any whole".split(
    " ",
  ),
);
const homeWords =
  /\b(?:home|front|start|landing|main|index)\s?page\b|\bhomepage\b|\b(?:on|in|of|at)\s+(?:the\s+)?home\b|\bthe\s+home\b|^\s*home\s*:/iu;
const siteWide =
  /\b(?:everywhere|site-?wide|whole site|entire site|every page|all pages|across the site|throughout the site|on each page)\b/iu;

/**
 * Every suffix of a sequence of words: "fix the website design" may mean "website design" or
 * "design".
 */
function tailsOf(words: string, fromEnd: boolean): string[] {
  const list = words
    .toLowerCase()
    .replace(/[’']s\b/g, "")
    .trim()
    .split(/\s+/)
    .filter(Boolean);
  const found: string[] = [];
  if (fromEnd) {
    for (let i = list.length - 1; i >= 0 && !stopWords.has(list[i] ?? ""); i -= 1)
      found.push(list.slice(i).join(" "));
  } else {
    for (let i = 1; i <= list.length && !stopWords.has(list[i - 1] ?? ""); i += 1)
      found.push(list.slice(0, i).join(" "));
  }
  return found;
}

function pagesIn(text: string): string[] {
  const plain = text.replace(quoted, " ").replace(linkTarget, " ");
  const found = new Set<string>();
  if (siteWide.test(plain)) found.add("*");
  for (const [path] of plain.matchAll(pathPattern))
    if (path !== "/" || /(?:^|\s)\/(?:\s|$)/.test(plain))
      found.add(path.endsWith("/") ? path : `${path}/`);
  if (homeWords.test(plain)) found.add("/");
  const named: string[] = [];
  for (const [, words = ""] of plain.matchAll(namedPage)) named.push(...tailsOf(words, true));
  for (const [, words = ""] of plain.matchAll(afterOn)) named.push(...tailsOf(words, false));
  named.push(...tailsOf(leading.exec(plain)?.[1] ?? "", false));
  for (const name of named) if (name.length >= 3 && name.length <= 80) found.add(name);
  return [...found].slice(0, 20);
}

const kindWords: readonly (readonly [RegExp, ScopeKind])[] = [
  [
    /\b(?:page\s+titles?|titles?|descriptions?|meta|seo|search results?|browser tab|snippets?|og)\b/iu,
    "meta",
  ],
  [/\b(?:alt|alts|alternative|alt-texts?|screen readers?)\b/iu, "alt"],
  [
    /\b(?:links?|linked|linking|href|hrefs|urls?|points? to|pointing|leads? to|leading to|anchor|buttons?|go(?:es)? to|jumps? to|points? at)\b/iu,
    "links",
  ],
  [
    /\b(?:images?|pictures?|photos?|photographs?|portraits?|illustrations?|screenshots?|covers?|attached|attachments?)\b/iu,
    "images",
  ],
  [
    /\b(?:footers?|headers?|menus?|navigation|nav|navbar|taglines?|site name|copyright)\b/iu,
    "shared",
  ],
];

const styleWords: readonly (readonly [RegExp, readonly StyleAspect[]])[] = [
  [
    /\b(?:accent|brand|link|button|primary|highlight)(?:\s+\w+)?\s+colou?rs?\b|\baccents?\b/iu,
    ["accent"],
  ],
  [/\bbackgrounds?(?:\s+colou?rs?)?\b|\bsurfaces?\b/iu, ["background"]],
  [/\b(?:text|body|muted|grey|gray|secondary|foreground)\s+colou?rs?\b|\bcontrast\b/iu, ["text"]],
  [
    /\b(?:lines?|borders?|separators?|rules?)\s+colou?rs?\b|\bunderlin\w*\b|\bthick(?:er)?\b|\bthin(?:ner)?\b/iu,
    ["line"],
  ],
  [/\bcolou?rs?\b|\bpalette\b|\btheme\b|\blook\b/iu, ["accent", "background", "text", "line"]],
  [/\bfonts?\b|\btypefaces?\b|\bserif\b/iu, ["font"]],
  [
    /\b(?:font|text|heading|headline|type|lead|h[1-4]|letter)[\s-]*sizes?\b|\b(?:larger|bigger|smaller|tighter|looser)\b|\bline[\s-]?heights?\b|\bleading\b|\b(?:semi)?bold(?:er)?\b|\bweights?\b|\b(?:head(?:ing|line)s?|text|type|fonts?|letters?|titles?)\b[^.]{0,40}\b(?:large|small|big|tiny|huge|size)\b|\b(?:large|small|big|tiny|huge)\s+(?:head(?:ing|line)s?|text|type|fonts?|letters?)\b/iu,
    ["size"],
  ],
  [
    /\bspac(?:e|es|ing)\b|\bgaps?\b|\bmargins?\b|\bpaddings?\b|\bgutters?\b|\bwhite\s?space\b|\bair\b|\broom\b|\bdenser\b|\bwidth\b|\bmeasure\b|\bline length\b|\btoo close\b|\bcloser\b|\bapart\b|\bcramped\b|\bcrowded\b/iu,
    ["spacing"],
  ],
  [/\bradius\b|\bradii\b|\brounded\b|\brounder\b|\bcorners?\b|\bsquare[rd]?\b/iu, ["radius"]],
];
const textWords =
  /\b(?:texts?|words?|wording|phrases?|sentences?|paragraphs?|headings?|headlines?|subheadings?|leads?|intros?|introductions?|bullets?|points?|items?|entry|entries|list|faq|questions?|answers?|typos?|typing errors?|spelling|misspell\w*|grammar|punctuation|commas?|apostrophes?|captions?|labels?|services?|steps?|cards?|years?|availability|bio|quote|copy|rewrite|rephrase|shorten|replace|reword|names?|call|say|says|write|add|remove|delete)\b/iu;
const onlyFix =
  /\b(?:typos?|typing errors?|misspell\w*|misspelt|spelling|grammar|punctuation|commas?|apostrophes?|missing (?:word|letter|full stop|period)|double space|capitali[sz]\w*)\b/iu;
const removing =
  /\b(?:remove|removed|delete|drop|cut|take|takes|shorten|shorter|trim|tighten|simplif\w*|condense|rework|rewrite|rephrase|merge|combine|join|split|replace|instead|without|no longer|get rid|leave out|gone|only|fewer|less|sold)\b/iu;
const reordering =
  /\b(?:before|after|first|last|order|reorder|sort|swap|move|reverse|top|bottom|above|below|put|earlier|later|alphabetical\w*)\b/iu;

function kindsIn(text: string, hasAttachments: boolean): ScopeKind[] {
  const plain = text.replace(quoted, " ");
  const kinds = new Set<ScopeKind>();
  for (const [pattern, kind] of kindWords) if (pattern.test(plain)) kinds.add(kind);
  if (hasAttachments) kinds.add("images");
  if (kinds.has("images") && !hasAttachments && kinds.has("alt")) kinds.delete("images");
  return [...kinds];
}

function styleIn(text: string): StyleAspect[] {
  const plain = text.replace(quoted, " ");
  const found = new Set<StyleAspect>();
  let special = false;
  for (const [pattern, aspects] of styleWords) {
    if (!pattern.test(plain)) continue;
    if (aspects.length > 1 && special) continue;
    if (aspects.length === 1 && ["accent", "background", "text", "line"].includes(aspects[0] ?? ""))
      special = true;
    for (const aspect of aspects) found.add(aspect);
  }
  return [...found];
}

/** What the fix of a finding changes, by check. */
const ofChecks: readonly (readonly [RegExp, ScopeKind])[] = [
  [/^img\.(?:alt-|link-no-alt$)|^a11y\.axe\.(?:image-alt|role-img-alt|input-image-alt)$/, "alt"],
  [/^link\./, "links"],
  [/^(?:seo\.|meta\.)/, "meta"],
];

const noBounds: TaskScope["only"] = { links: null, images: null, misspelledWords: null };

/**
 * For a link, an image, or a misspelled word, only that one may change; nothing if it is unknown.
 */
function boundsOf(check: string, kind: ScopeKind, found: readonly string[]): TaskScope["only"] {
  const targets = [...new Set(found)]
    .filter((one) => one !== "" && one.length <= 2000)
    .slice(0, 60);
  if (kind === "links") return { ...noBounds, links: targets };
  if (kind === "alt") return { ...noBounds, images: targets };
  if (check !== "text.spelling") return noBounds;
  return {
    ...noBounds,
    misspelledWords: targets.filter(({ length }) => length <= 100).map((one) => one.toLowerCase()),
  };
}

function scopeOfFinding({ check, pages, targets }: ScopeFinding): TaskScope {
  const kind = ofChecks.find(([pattern]) => pattern.test(check))?.[1] ?? "text";
  return {
    pages: [...new Set(pages.map(pathOf))].slice(0, 20),
    kinds: [kind],
    style: [],
    isMinorEdit: kind === "text",
    allowsRemovals: false,
    quotes: [],
    keywords: [],
    targets: [],
    allowsSeveralParts: true,
    allowedFacts: [],
    rewrites: [],
    dictatedPieces: [],
    isDictation: false,
    isAddition: false,
    only: boundsOf(check, kind, targets),
  };
}

function pathOf(page: string): string {
  return URL.parse(page, "https://site.invalid")?.pathname ?? "/";
}

/** Words for parts of any page: a change there needs no other word in common. */
const parts =
  /\b(?:texts?|sentences?|paragraphs?|headings?|headlines?|subheadings?|leads?|intros?|introductions?|bullets?|points?|captions?|eyebrows?|stor(?:y|ies)|buttons?|lists?|items?|steps?|faq|questions?|answers?|facts?|cards?|typos?|typing errors?|spelling|grammar|punctuation|summary|bio|quote|footer|header|nav\w*|wording|copy|tagline)\b/iu;
const severalParts =
  /\b(?:all|every\w*|each|throughout|whole|entire|both|and|also|typos|mistakes|errors|texts|sentences|paragraphs|headings|points|too)\b|[;&]/iu;
const common = new Set(
  "the and now for are but not you our its who how can may let get was did too out off page pages site website change changes changed replace please make makes should would could want need add adds added remove write rewrite update with from into that this these those there their then than they them have has had been being will your yours mine ours some more most much many very just only also about after before under over here where when what which while text word words line lines part parts place places show shows shown like link links image images say says said call called instead".split(
    " ",
  ),
);

/** The stems of words: enough to treat "designs" and "designing" as the same. */
export function stemsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return words.filter((one) => !common.has(one)).map((one) => one.slice(0, 5));
}

/** The words that a task is about; empty if they name a part of the page. */
function wordsIn(text: string): string[] {
  const plain = text.replace(quoted, " ");
  // A link's target doesn't say which passage contains it.
  return parts.test(plain) ? [] : [...new Set(stemsOf(text.replace(linkTarget, " ")))].slice(0, 80);
}

/** Where the task may want a link to lead. */
function targetsIn(text: string): string[] {
  const paths = [...text.matchAll(pathPattern)].map(([path]) =>
    path.endsWith("/") ? path : `${path}/`,
  );
  return [...new Set([...paths, ...stemsOf(text)])].slice(0, 80);
}

/** A link's target isn't a page to be changed. */
const linkTarget =
  /\b(?:links?|linking|linked|leads?|leading|goes?|points?|pointing|jumps?|button)\b[^.;]{0,60}?\b(?:to|at)\s+(?:the\s+|my\s+|our\s+)?(?:\/[\w/-]*|(?:[\p{L}\p{N}’-]+\s+){0,3}(?:pages?|case study)|[\p{L}\p{N}’-]+)/giu;

/** Without addresses: contact data never changes unattended. */
function givenIn(text: string): string[] {
  const { numbers, services } = findSensitiveText(text);
  return [...new Set([...numbers, ...services])].slice(0, 60).map((one) => one.slice(0, 60));
}

function scopeOfWords({
  instruction,
  pageUrl,
  projectPath,
  hasAttachments,
}: ScopeSource): TaskScope {
  const text = instruction.slice(0, maxRead);
  const plain = text.replace(quoted, " ");
  const style = styleIn(text);
  const kinds = kindsIn(text, hasAttachments);
  const isText = textWords.test(plain) || quotesIn(text).length > 0;
  // An image task is about an image, its caption, and its alt text, unless it names a text as well.
  const isOfImage =
    hasAttachments && !parts.test(plain.replace(/\balt(?:ernative)?[ -]texts?/giu, ""));
  if (!isOfImage && (style.length === 0 || isText)) kinds.unshift("text");
  const given = [pageUrl, projectPath].flatMap((page) => (page === null ? [] : pathOf(page)));
  return {
    pages: [...new Set([...given, ...pagesIn(text)])].slice(0, 20),
    kinds,
    style,
    isMinorEdit:
      onlyFix.test(plain) &&
      !/\b(?:rewrite|rephrase|add|remove|delete|shorten|and then)\b/iu.test(plain),
    allowsRemovals: removing.test(plain) || reordering.test(plain),
    quotes: quotesIn(text),
    keywords: wordsIn(text),
    targets: targetsIn(text),
    allowsSeveralParts: severalParts.test(plain),
    allowedFacts: givenIn(text),
    rewrites: rewritesIn(text),
    dictatedPieces: piecesOf(text),
    isDictation: isDictation(text),
    isAddition: /\b(?:add|adds|insert)\b/iu.test(plain) && !removing.test(plain),
    only: noBounds,
  };
}

/**
 * Derives what a task is about from the owner's input. Deterministic, and never widened by the text
 * of a page or a finding.
 */
export function deriveScope(source: ScopeSource): TaskScope {
  const words = scopeOfWords(source);
  if (source.finding === null) return words;
  const scope = scopeOfFinding(source.finding);
  if (source.instruction.trim() === "") return scope;
  return {
    ...words,
    pages: scope.pages,
    kinds: [...new Set([...scope.kinds, ...words.kinds])],
    only: scope.only,
  };
}
