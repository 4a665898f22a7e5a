import type { Dictionary } from "./dictionary.ts";

/** Spellings outside the United States, with the American ones. */
const variants: readonly [RegExp, string][] = [
  [/our/, "or"],
  [/ogue/, "og"],
  [/(?<=[^aeiou])re(?=s?$|d$)/, "er"],
  [/is(?=e$|ed$|es$|er$|ers$|ing$|ation|able)/, "iz"],
  [/ys(?=e$|ed$|es$|er$|ers$|ing$)/, "yz"],
  [/ll(?=ed$|ing$|er$|ers$|ery$|or$|ors$|ist$|ous$)/, "l"],
  [/l(?=ment|s?$|ful)/, "ll"],
  [/enc(?=e$|es$|ed$|eless)/, "ens"],
  [/ae/, "e"],
  [/oe/, "e"],
  [/ey(?=s?$|ish$)/, "ay"],
  [/gement/, "gment"],
  [/mould/, "mold"],
  [/plough/, "plow"],
  [/amme/, "am"],
  [/artef/, "artif"],
  [/scept/, "skept"],
  [/que(?=s?$|d$)/, "ck"],
  [/ium(?=s?$)/, "um"],
  [/y(?=re)/, "i"],
  [/pp(?=ed$|ing$|er$)/, "p"],
  [/ei(?=ng$)/, "i"],
];

/** Recent words and jargon that dictionaries don't have yet. */
const newer = new Set(
  `accessibility analytics app apps async autoplay avif backend backends backlit barcode blockchain bokeh bookable
  broadsheet browsable bugfix cadmium caption captioned catalogue changelog checkbox checkout clickable codebase
  colophon colourway colourways coworking cyanotype cyanotypes darkroom dataset datasets deckle devops diptych diptychs
  dropdown ebook ebooks ekphrastic emoji emojis facsimile favicon filmstrip folksonomy fullscreen freelance frontend
  gelatin geodata giclee github glassine glitchy gouache hackathon halftone halftones handmade handset handwoven hashtag
  homepage hotspot hyperlink hyperlinks impasto infographic infographics internet intaglio javascript kerning keyframe
  keyframes keyword keywords kiln kinetics layout layouts lede letterform letterforms letterpress lidar lightbox
  linocut linocuts linotype lookbook lookbooks lowercase macrame makerspace maquette maquettes markdown metadata
  microsite middleware mixtape mockup mockups monospace monospaced monotype moodboard moodboards motif motifs multimedia
  natively nonprofit offline onboarding online onscreen overlay oversized parametric payload permalink photobook photobooks
  photogram photograms pipeline pixelated plaintext playlist plugin plugins podcast podcasts polymer popup postgraduate
  prebuilt printmaker printmakers printmaking realtime rebrand rebranded rebranding repo repos resize resized reusable
  risograph risographs runtime scalability scalable schema screenprint screenprinted screenprints screenshot screenshots
  scrollable selfie serif serifs sitemap skeuomorphic smartphone smartphones spreadsheet stylesheet stylesheets subpage
  subpages subset superscript swatch tagline taglines terracotta textarea thumbnail thumbnails timeline timelines
  timestamp timestamps toolkit toolkits tooltip tooltips triptych triptychs tutorial typeface typefaces typeset
  typesetter typesetting typographic unboxing uncoated uppercase upcycled upcycling usability username vectorized vellum
  viewport vlog voiceover walkthrough webhook webhooks webmaster schemas struct structs emeriti borked webpage webpages webshop website websites whitespace
  wayfinding widescreen widget widgets wifi wiki wireframe wireframes woodblock woodblocks woodcut woodcuts workflow
  workflows worldbuilding zine zines`.split(/\s+/),
);

const prefixes =
  /^(?:anti|auto|bi|bio|co|counter|cross|cyber|de|eco|ethno|ever|extra|geo|hand|hyper|inter|macro|meta|micro|mid|mini|mono|multi|neo|neuro|non|out|over|photo|poly|post|pre|proto|pseudo|re|self|semi|socio|sub|super|techno|tele|trans|tri|ultra|un|under|uni|up|video|web)(?=.{3})/;

/** Whether a word is in the dictionary, in another country's spelling, or a compound. */
export function isWord(word: string, dictionary: Dictionary): boolean {
  const known = (one: string) => dictionary.has(one) || newer.has(one);
  if (known(word)) return true;
  for (const [from, to] of variants) {
    if (!from.test(word)) continue;
    const other = word.replace(from, to);
    if (known(other)) return true;
    // Two at once: “catalogued” is rare, “colourised” isn't.
    for (const [again, by] of variants) {
      if (again !== from && again.test(other) && known(other.replace(again, by))) return true;
    }
  }
  const bare = word.replace(prefixes, "");
  if (bare !== word && known(bare)) return true;
  // A noun for the person or thing that does it: every verb has one, and dictionaries list the
  // usual ones.
  const doer = /^(.+?)(?:(?<double>[bdgklmnprtz])\k<double>)?(?:e?rs?|ors?|ings?)$/.exec(word);
  if (doer) {
    const stem = (doer[1] ?? "") + (doer.groups?.["double"] ?? "");
    if (
      stem.length >= 3 &&
      (known(stem) || known(`${stem}e`) || known(stem + (doer.groups?.["double"] ?? "")))
    ) {
      return true;
    }
  }
  for (let at = 3; at <= word.length - 3; at++) {
    if (known(word.slice(0, at)) && known(word.slice(at))) return true;
  }
  return false;
}

const vowels = "aeiou";

/** The words that differ from a word by one typing error, most likely first. */
function* findSingleEdits(word: string): Generator<string> {
  const cut = (at: number, by: string, length = 0) =>
    word.slice(0, at) + by + word.slice(at + length);
  // Swapped letters: “recieve”.
  for (let at = 1; at < word.length - 1; at++) {
    yield cut(at, `${word[at + 1]}${word[at]}`, 2);
  }
  // A doubled letter written once, or a single one doubled: “occured”, “untill”.
  for (let at = 1; at < word.length; at++) yield cut(at, word[at] ?? "");
  for (let at = 1; at < word.length; at++) if (word[at] === word[at - 1]) yield cut(at, "", 1);
  // One vowel for another: “definately”.
  for (let at = 1; at < word.length; at++) {
    if (!vowels.includes(word[at] ?? "")) continue;
    for (const vowel of vowels) if (vowel !== word[at]) yield cut(at, vowel, 1);
  }
  // A missing letter inside: “goverment”.
  for (let at = 2; at < word.length - 1; at++) {
    for (const letter of "aeiouhnrlstcdmg") yield cut(at, letter);
  }
}

/**
 * The word that was most likely meant; null for a correct word, and for one that isn't similar to
 * any: such words are far more often names and terms than errors.
 */
export function suggestCorrection(word: string, dictionary: Dictionary): string | null {
  const known = judged.get(dictionary) ?? new Map<string, string | null>();
  judged.set(dictionary, known);
  const before = known.get(word);
  if (before !== undefined) return before;
  // The pages of a site share their words; many sites have too many of them.
  if (known.size > 50_000) known.clear();
  const meant = judge(word, dictionary);
  known.set(word, meant);
  return meant;
}

const judged = new WeakMap<Dictionary, Map<string, string | null>>();

function judge(word: string, dictionary: Dictionary): string | null {
  if (isWord(word, dictionary)) return null;
  // The plural of an unknown word isn't an error, either.
  for (const slip of findSingleEdits(word)) {
    if (slip !== word && dictionary.has(slip)) return slip;
  }
  return null;
}
