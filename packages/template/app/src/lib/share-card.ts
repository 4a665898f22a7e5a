import bricolage from "../fonts/bricolage-grotesque-640-latin.woff2?inline";
import bricolageMore from "../fonts/bricolage-grotesque-640-latin-ext.woff2?inline";
import figtree from "../fonts/figtree-500-latin.woff2?inline";
import figtreeMore from "../fonts/figtree-500-latin-ext.woff2?inline";
import newsreader from "../fonts/newsreader-480-latin.woff2?inline";
import newsreaderMore from "../fonts/newsreader-480-latin-ext.woff2?inline";
import theme from "../styles/theme.css?raw";

/*
 * How the image of a page looks where its link is shown: 1200 by 630, drawn by Satori. It knows boxes
 * (flex), text and colors. Shown at 300 px it is a quarter of the size: text under 32 px is lost there.
 */

/** What an image says. */
export interface ShareText {
  title: string;
  /** A line above the title; may be empty. */
  kind: string;
  /** Whose site it is. */
  name: string;
  /** The site's address without its scheme; may be empty. */
  host: string;
}

/** An element as Satori takes it. */
export interface CardNode {
  type: string;
  props: { style: Record<string, string | number>; children?: CardNode[] | string };
}

export const shareSize = { width: 1200, height: 630 };

/** Fonts for drawing: Satori takes no variable ones, so these are single weights of the site's own. */
export const shareFonts = [
  { name: "Bricolage Grotesque", source: bricolage },
  { name: "Bricolage Grotesque more", source: bricolageMore },
  { name: "Figtree", source: figtree },
  { name: "Figtree more", source: figtreeMore },
  { name: "Newsreader", source: newsreader },
  { name: "Newsreader more", source: newsreaderMore },
];

/** Whether the fonts have all of a text's letters: what they lack would be empty boxes. */
export function canDraw(text: string): boolean {
  return /^[\u0020-\u007e\u00a0-\u017f\u0218-\u021b\u1e80-\u1e85\u1e9e\u2010-\u2027\u2030-\u205e\u20ac\u2122\u2190-\u2193\u2212]*$/u.test(
    text,
  );
}

const defaults: Record<string, string> = {
  bg: "#fbfbf9",
  text: "#15181c",
  muted: "#4a5059",
  accent: "#2440d8",
  "tracking-heading": "-0.022em",
  radius: "10px",
};
const shapes = /^(#([0-9a-f]{3}|[0-9a-f]{6})|-?\d*\.?\d+(em|px))$/i;

const themes = new Map<string, Map<string, string>>();

/** The values that these rules of theme.css have by their names without `--`, of pairs the light one. */
function valuesOf(selectors: readonly string[]): Map<string, string> {
  const key = selectors.join();
  const values = themes.get(key) ?? new Map<string, string>();
  if (themes.has(key)) return values;
  themes.set(key, values);
  const plain = theme.replace(/\/\*[\s\S]*?\*\//g, "");
  for (const [, selector = "", body = ""] of plain.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    if (!selectors.includes(selector.trim())) continue;
    for (const [, name = "", value = ""] of body.matchAll(/--([\w-]+):\s*([^;]+);/g)) {
      values.set(name, /^light-dark\(\s*([^,]+),/.exec(value)?.[1]?.trim() ?? value.trim());
    }
  }
  return values;
}

/** The first font of a list where there is a file for drawing it, with the one for its other letters. */
function family(list: string | undefined, otherwise: string): string {
  const name = /^["']?([^"',]+)/.exec(list ?? "")?.[1] ?? "";
  const known = shareFonts.some((font) => font.name === name) ? name : otherwise;
  return `${known}, ${known} more`;
}

/** Long titles are set smaller, so that no title needs more than four lines. */
function titleSize(title: string): number {
  const steps: [number, number][] = [
    [14, 144],
    [28, 120],
    [44, 100],
    [64, 82],
    [96, 68],
  ];
  const longestWord = Math.max(...title.split(/\s+/).map((word) => word.length));
  const size = steps.find(([most]) => title.length <= most)?.[1] ?? 56;
  return Math.min(size, Math.floor(1800 / Math.max(longestWord, 1)));
}

function box(style: Record<string, string | number>, ...children: CardNode[]): CardNode {
  return { type: "div", props: { style: { display: "flex", ...style }, children } };
}

function line(text: string, style: Record<string, string | number>): CardNode {
  return { type: "div", props: { style: { display: "block", ...style }, children: text } };
}

const columns = 11;

/** A row of blocks that no other page has: their heights and tints come from the text. */
function blocks(text: string, style: Record<string, string | number>): CardNode {
  let seed = 2166136261;
  for (const character of text) seed = Math.imul(seed ^ (character.codePointAt(0) ?? 0), 16777619);
  const next = (most: number): number => {
    seed = Math.imul(seed ^ (seed >>> 15), 2246822507) + 0x9e3779b9;
    return Math.floor(((seed >>> 8) / 2 ** 24) * most);
  };
  const list = Array.from({ length: columns }, () => {
    const height = 30 + 22 * next(5);
    const opacity = [1, 0.82, 0.6, 0.38][next(4)] ?? 1;
    return box({ width: 82, height, opacity, ...style });
  });
  return box({ justifyContent: "space-between", alignItems: "flex-start", height: 118 }, ...list);
}

/** The image as Satori's elements, in the light colors and the fonts that these rules of theme.css give. */
export function shareCard(text: ShareText, selectors: readonly string[]): CardNode {
  const values = valuesOf(selectors);
  const value = (name: string): string => {
    const token = values.get(name) ?? "";
    return shapes.test(token) ? token : (defaults[name] ?? "");
  };
  const display = {
    fontFamily: family(values.get("font-display"), "Bricolage Grotesque"),
    letterSpacing: value("tracking-heading"),
  };
  const muted = { color: value("muted") };
  return box(
    {
      ...shareSize,
      boxSizing: "border-box",
      flexDirection: "column",
      padding: "56px 64px 0",
      background: value("bg"),
      color: value("text"),
      fontFamily: family(values.get("font-text"), "Figtree"),
    },
    box(
      { justifyContent: "space-between", alignItems: "baseline", gap: 48 },
      line(text.name, { ...display, fontSize: 40, lineClamp: 1 }),
      line(text.host, { ...muted, fontSize: 34, lineClamp: 1 }),
    ),
    box(
      { flexDirection: "column", flexGrow: 1, justifyContent: "center" },
      ...(text.kind
        ? [line(text.kind, { ...muted, fontSize: 40, marginBottom: 18, lineClamp: 1 })]
        : []),
      line(text.title, {
        ...display,
        fontSize: titleSize(text.title),
        lineHeight: 1.06,
        wordBreak: "break-word",
        textWrap: "balance",
        lineClamp: 4,
      }),
    ),
    blocks(`${text.title}\n${text.kind}`, {
      background: value("accent"),
      borderRadius: value("radius"),
    }),
  );
}
