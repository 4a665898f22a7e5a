/** What a new text may not contain unless the owner has written it. */
export interface SensitiveText {
  /** Prices, and numbers long enough to be phone or account numbers. */
  numbers: string[];
  /** Names of services for contact or payment. */
  services: string[];
  /** Addresses and domains, in any spelling. */
  contacts: string[];
}

const currency =
  "(?:[€£$¥₤₽₹₺₩₿]|\\b(?:eur|usd|gbp|sek|nok|dkk|chf|jpy|cad|aud|pln|czk|btc|eth|euros?|dollars?|pounds?|kronor|kroner|francs?|kr)\\b)";
const figure = "\\d(?:[\\d.,'’ \\u00a0\\u202f]*\\d)?(?:\\s?[km]\\b)?";
const price = new RegExp(`${currency}\\s{0,2}(${figure})|(${figure})\\s{0,2}${currency}`, "giu");

/** Dates, years, and ranges of years, which are common in texts. */
const dateLike =
  /\b(?:(?:19|20)\d\d\s?[–—-]\s?(?:(?:19|20)\d\d|\d\d)|(?:19|20)\d\d-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}[./](?:19|20)?\d\d|\d{1,2}:\d\d\s?[–—-]\s?\d{1,2}:\d\d)\b/g;
const grouped = /^\d{1,3}(?:[ ,.'’\u00a0\u202f]\d{3})+$/;
const longNumber = /[+(]?\d(?:[\s\u00a0\u202f()./–—-]{0,3}\d){4,}/g;

const oneWordDigits =
  "zero|oh|one|two|three|four|five|six|seven|eight|nine|double|triple|noll|ett|två|tre|fyra|fem|sex|sju|åtta|nio|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand";
const spelledNumber = new RegExp(
  `\\b(?:(?:${oneWordDigits})\\b[\\s,.–-]{0,4}(?:(?:and|och|und)\\s)?){5,}`,
  "giu",
);

const wordedPrice = new RegExp(
  `(?<![\\p{L}])(?:${oneWordDigits}|ett?|tio|tjugo|trettio|fyrtio|femtio|sextio|sjuttio|åttio|nittio|zehn|zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig|dozen|grand|hundra|tusen|hundert|tausend|cent|mille)\\b(?:[\\s-]{1,3}[\\p{L}]{2,12}){0,5}[\\s-]{1,3}(?:euros?|dollars?|bucks|pounds?|quid|kronor|kroner|francs?|cents|pence|yen|rupees?)\\b`,
  "giu",
);

/** Not domains, although they look like it. */
const fileEndings = new Set(
  "js ts jsx tsx mjs css html htm json xml svg png jpg jpeg gif webp avif pdf txt csv yml yaml php doc docx xls xlsx zip woff woff2 astro vue".split(
    " ",
  ),
);
const domain =
  /[\p{L}\p{N}][\p{L}\p{N}-]{0,62}(?:\s?[.。．｡]\s?[\p{L}\p{N}][\p{L}\p{N}-]{1,62})+/gu;
const address =
  /(?:[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\s?\.|\b(?:mailto|tel|sms|data|javascript|bitcoin|ethereum|lightning)\s?:)\S{0,80}/giu;
const writtenOut =
  /[([{<]\s*(?:at|@|ät|arroba|dot|punkt|point|punto|\.)\s*[)\]}>]|\b[\p{L}\p{N}._-]+\s+(?:at|ät|arroba|snabel-?a)\s+[\p{L}\p{N}-]+\s*(?:dot|punkt|point|punto)\s+\p{L}{2,}|\b\p{L}[\p{L}\p{N}-]*\s*(?:\bdot\b|\bpunkt\b)\s*\p{L}{2,}/giu;
const longToken = /[\p{L}\p{N}_]{0,200}\p{N}[\p{L}\p{N}_]{0,200}/gu;
/** Groups of letters and digits that can hide numbers. */
const coded = /[\p{L}\p{N}]{1,12}(?:[-./][\p{L}\p{N}]{1,12}){1,8}/gu;
const services =
  /\b(?:whats\s?app|telegram|wechat|viber|skype|discord|instagram|facebook|linkedin|twitter|tiktok|mastodon|iban|bic|paypal|venmo|zelle|revolut|cash\s?app|western union|bank(?:giro|\s?account|\s?details)|plusgiro|account number|sort code|routing number|wire transfer|gift cards?|prepay(?:ment)?|wallet address|bitcoins?|btc|ethereum|usdt|crypto(?:currency)?|passwords?|passcodes?|credit cards?|debit cards?|card number|cvv|pin code|verification code|one-time code|p\.?\s?o\.? box)\b/giu;

function tidy(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}

/** Only what distinguishes one number from another. */
function figuresOf(text: string): string {
  return text.replace(/[^\d+.,€£$¥a-z]/giu, "").toLowerCase();
}

function numbersOf(text: string): string[] {
  const found: string[] = [];
  for (const [whole] of text.matchAll(price)) found.push(figuresOf(whole));
  const rest = text.replace(price, " ¤ ").replace(dateLike, " ¤ ");
  for (const [whole] of rest.matchAll(longNumber)) {
    const plain = whole.trim();
    if (grouped.test(plain) && plain.length <= 11) continue;
    found.push(figuresOf(plain));
  }
  for (const pattern of [spelledNumber, wordedPrice]) {
    for (const [whole] of text.matchAll(pattern)) found.push(tidy(whole));
  }
  return found;
}

function domainsOf(text: string): string[] {
  return [...text.matchAll(domain)].flatMap(([whole]) => {
    const spaced = /\s/.test(whole);
    const parts = whole.split(/\s?[.。．｡]\s?/);
    const last = parts.at(-1)?.toLowerCase() ?? "";
    if (/^\d/.test(last) || fileEndings.has(last)) return [];
    if (!spaced)
      return /^\p{Lu}/u.test(parts.at(-1) ?? "") &&
        parts.length === 2 &&
        /^\p{Ll}+$/u.test(parts[0] ?? "") &&
        last.length > 4
        ? []
        : [tidy(whole)];
    // "… the end. Then …" is a sentence; "evil . com" isn't.
    return /\p{L}\s[.。．｡]/u.test(whole) ? [tidy(whole)] : [];
  });
}

/** Everything sensitive in a text. Linear in its length; pass at most about 10,000 characters. */
export function findSensitiveText(text: string): SensitiveText {
  const contacts: string[] = [];
  for (const pattern of [address, writtenOut]) {
    for (const [whole] of text.matchAll(pattern)) contacts.push(tidy(whole));
  }
  contacts.push(...domainsOf(text));
  for (const word of text.split(/\s+/)) if (/[@＠﹫]/.test(word)) contacts.push(tidy(word));
  for (const [whole] of text.matchAll(longToken)) {
    if (whole.length >= 16) contacts.push(tidy(whole));
  }
  for (const [whole] of text.replace(dateLike, " ").matchAll(coded)) {
    const plain = whole.replace(/\b(?:19|20)\d\d\b/g, "");
    const isCode =
      /\p{L}/u.test(plain) && (plain.match(/\d/g) ?? []).length >= 3 && plain.length >= 8;
    if (isCode) contacts.push(tidy(whole));
  }
  const named = [...text.matchAll(services)].map(([whole]) => tidy(whole));
  return { numbers: numbersOf(text), services: named, contacts };
}

/** Latin letters of European languages, without look-alikes such as dotless i and long s. */
const plainLetters =
  /^[a-zA-Z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0130\u0132-\u017e\u0218-\u021b\u1e00-\u1e9e\u1ea0-\u1ef9]$/u;
const plainMarks = /^[ !-@[-`{-~\u00a0\u202f¡-¬®-¿×÷–—‘’‚“”„…‹›•·†‡′″€™←-↓→−≈≠≤≥✓✔№\n\t]$/u;
const pictograph = /^\p{Emoji_Presentation}$/u;
const squared = /[\u{1f100}-\u{1f2ff}]/u;
const otherScripts: readonly RegExp[] = [
  /^\p{Script=Cyrillic}$/u,
  /^\p{Script=Greek}$/u,
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー、。「」『』・！？]$/u,
  /^[\p{Script=Hangul}]$/u,
  /^[\p{Script=Arabic}]$/u,
  /^[\p{Script=Hebrew}]$/u,
  /^[\p{Script=Devanagari}]$/u,
  /^[\p{Script=Thai}]$/u,
];
/** A page with this many letters of a script is written in it. */
const writtenIn = 40;

/** The scripts besides Latin that a page's text is written in. */
export function scriptsOf(text: string): readonly RegExp[] {
  return otherScripts.filter((script) => {
    let count = 0;
    for (const character of text) {
      if (script.test(character)) count += 1;
      if (count >= writtenIn) return true;
    }
    return false;
  });
}

/**
 * The first invisible or confusable character of a text; null if there is none. `scripts` are those
 * of the page.
 */
export function oddCharacter(text: string, scripts: readonly RegExp[] = []): string | null {
  if (text.normalize("NFC") !== text) return "a letter composed of several characters";
  for (const character of text) {
    if (plainLetters.test(character) || plainMarks.test(character)) continue;
    if (pictograph.test(character) && !squared.test(character)) continue;
    if (scripts.some((script) => script.test(character))) continue;
    return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  }
  const words = text.split(/[^\p{L}]+/u);
  const isMixed = (word: string) =>
    /\p{Script=Latin}/u.test(word) &&
    scripts.some((script) => [...word].some((c) => script.test(c)));
  return words.find(isMixed) === undefined ? null : "a word with letters from two scripts";
}
