import type { Element } from "../page/dom.ts";
import { type Cascaded, type Style, uncertain } from "./cascade.ts";
import { looksLikeColor, parseColor, type Rgba } from "./color.ts";
import { type CustomProperties, declareProperties, rootProperties } from "./custom.ts";
import { fontSize, fontWeight } from "./font.ts";
import { lengthOf } from "./length.ts";
import type { Viewing } from "./media.ts";
import type { PageStyles } from "./page-styles.ts";
import { keyword, keywords, type Scope, valueOf } from "./scope.ts";
import { asFunction, splitCommas, splitSpaces } from "./text.ts";

/** What is known about how an element looks; null for anything unknown. */
export interface Computed {
  /** The parent element's. */
  parent: Computed | null;
  custom: CustomProperties;
  scheme: "light" | "dark" | null;
  color: Rgba | null;
  /** `-webkit-text-fill-color`; undefined if `color` applies. */
  fill: Rgba | null | undefined;
  background: Rgba | null;
  /** Whether an image or gradient is behind its content. */
  image: boolean | null;
  /** Pixels. */
  size: number | null;
  weight: number | null;
  opacity: number | null;
  /** False if neither the element nor its content is visible. */
  displayed: boolean | null;
  visible: boolean | null;
  position: string | null;
  /** Something, such as a filter, changes the resulting colors. */
  effects: boolean;
  shadow: boolean;
  /** Its box is moved out of sight. */
  isOffscreen: boolean;
  value(property: string): Cascaded | undefined;
}

const transparent: Rgba = { r: 0, g: 0, b: 0, a: 0 };

/** The color and image of a `background` shorthand; null if it can't be parsed. */
function readBackground(text: string): { color: string; image: boolean } | null {
  const layers = splitCommas(text);
  const image = layers.some((layer) =>
    /(?:url|gradient|image|image-set|paint|element)\(/i.test(layer),
  );
  if (layers.slice(0, -1).some((layer) => !/\(/.test(layer) && layer !== "none")) return null;
  const words = splitSpaces((layers.at(-1) ?? "").replaceAll("/", " / "));
  const colors = words.filter(looksLikeColor);
  if (colors.length > 1) return null;
  return { color: colors[0] ?? "transparent", image };
}

/** An element and its parent. */
interface Placed extends Scope {
  parent: Computed | null;
}

function colorScheme(scope: Placed, viewing: Viewing, page: string): Computed["scheme"] {
  const value = keyword(valueOf(scope, "color-scheme"), true);
  if (value === uncertain) return null;
  if (scope.parent && (value === undefined || value === "inherit")) return scope.parent.scheme;
  const named = value === undefined || value === "initial" || value === "normal" ? page : value;
  const words = splitSpaces(named.toLowerCase()).filter(
    (word) => word === "light" || word === "dark",
  );
  if (words.includes(viewing.scheme)) return viewing.scheme;
  return words[0] === "dark" ? "dark" : "light";
}

function textColor(scope: Placed, scheme: Computed["scheme"]): Rgba | null {
  const { parent } = scope;
  const value = keyword(valueOf(scope, "color"), true);
  if (value === uncertain || scheme === null) return null;
  if (
    parent &&
    (value === undefined || value === "inherit" || value.toLowerCase() === "currentcolor")
  ) {
    return parent.color;
  }
  const text = value === undefined || keywords.has(value) ? "canvastext" : value;
  return parseColor(text, { scheme, current: parent?.color ?? null });
}

function backgroundOf(scope: Placed, scheme: Computed["scheme"], current: Rgba | null) {
  const value = keyword(valueOf(scope, "background-color"), false);
  let image: boolean | null = false;
  const backgroundImage = keyword(valueOf(scope, "background-image"), false);
  if (backgroundImage === uncertain || backgroundImage === "inherit") image = null;
  else if (backgroundImage?.startsWith("background:")) {
    image = readBackground(backgroundImage.slice("background:".length))?.image ?? null;
  } else if (backgroundImage !== undefined)
    image = backgroundImage !== "none" && backgroundImage !== "initial";
  if (value === uncertain || scheme === null) return { color: null, image };
  if (value === undefined || value === "initial") return { color: transparent, image };
  if (value === "inherit") return { color: scope.parent?.background ?? null, image };
  const text = value.startsWith("background:")
    ? readBackground(value.slice("background:".length))?.color
    : value;
  return { color: text === undefined ? null : parseColor(text, { scheme, current }), image };
}

/** A number from 0 to 1, or a percentage. */
function opacityOf(scope: Scope): number | null {
  const value = keyword(valueOf(scope, "opacity"), false);
  if (value === undefined || value === "initial") return 1;
  if (value === uncertain) return null;
  const number = value.endsWith("%") ? Number.parseFloat(value) / 100 : Number(value);
  return Number.isFinite(number) ? Math.min(1, Math.max(0, number)) : null;
}

const noEffect = new Set([
  "none",
  "normal",
  "initial",
  "auto",
  "unset",
  "border-box",
  "padding-box",
  "content-box",
]);

function hasEffect(scope: Scope): boolean {
  return ["filter", "backdrop-filter", "mix-blend-mode"].some((property) => {
    const value = valueOf(scope, property);
    return value !== undefined && (value === uncertain || !noEffect.has(value.toLowerCase()));
  });
}

/** A background that is clipped to the text is the text's color. */
function clipsToText(scope: Scope): boolean {
  const value = valueOf(scope, "background-clip");
  return value !== undefined && (value === uncertain || /\btext\b/i.test(value));
}

/** Whether the box is clipped to nothing, or moved out of sight. */
function isAway(scope: Scope): boolean {
  const value = (property: string): string => {
    const cascaded = valueOf(scope, property);
    return typeof cascaded === "string" ? cascaded.toLowerCase() : "";
  };
  if (/^rect\(\s*(?:0|1px)/.test(value("clip"))) return true;
  if (/^inset\(\s*(?:50|100)%/.test(value("clip-path")) || /^circle\(\s*0/.test(value("clip-path")))
    return true;
  if (/^-(?:\d{3,}px|\d{2,}r?em|100%)/.test(value("text-indent"))) return true;
  if (/^(?:1px|0|0px)$/.test(value("width")) && /^(?:1px|0|0px)$/.test(value("height")))
    return true;
  const moved = /-(?:\d{3,}(?:px|%)|\d{2,}r?em|\d{2,}vw|\d{2,}vh)/;
  return ["left", "top", "inset", "translate", "transform"].some((name) => moved.test(value(name)));
}

const hidingValues = new Set(["hidden", "collapse"]);

/** Computes the relevant style of an element; `parent` is its parent's. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function compute({
  style,
  parent,
  styles,
  viewing,
  root,
  pageScheme,
}: {
  style: Style;
  parent: Computed | null;
  styles: PageStyles;
  viewing: Viewing;
  /** The font size of the root; null for the root itself. */
  root: number | null;
  /** The page's `color-scheme` meta value. */
  pageScheme: string;
}): Computed {
  const declared = new Map([...style].filter(([property]) => property.startsWith("--")));
  const outer = parent?.custom ?? rootProperties(styles.registered);
  const custom = declared.size > 0 ? declareProperties(declared, outer, styles.registered) : outer;
  const scope: Placed = { style, parent, custom };
  const value = (property: string) => valueOf(scope, property);
  const scheme = colorScheme(scope, viewing, pageScheme);
  const color = textColor(scope, scheme);
  const background = backgroundOf(scope, scheme, color);
  const display = value("display");
  const hiddenContent = value("content-visibility");
  const visibility = keyword(value("visibility"), true);
  const shadow = keyword(value("text-shadow"), true);
  const fill = keyword(value("-webkit-text-fill-color"), true);
  const position = value("position");
  return {
    parent,
    custom,
    scheme,
    color,
    background: background.color,
    image: background.image,
    size: fontSize(scope, viewing, root),
    weight: fontWeight(scope),
    opacity: opacityOf(scope),
    displayed:
      parent?.displayed === false || display === "none" || hiddenContent === "hidden"
        ? false
        : display === uncertain || parent?.displayed === null
          ? null
          : true,
    visible:
      visibility === undefined || visibility === "inherit"
        ? (parent?.visible ?? true)
        : visibility === uncertain
          ? null
          : !hidingValues.has(visibility),
    position: position === uncertain ? null : (position ?? "static"),
    effects: hasEffect(scope) || clipsToText(scope) || isAnimated(scope, styles),
    shadow:
      shadow === undefined || shadow === "inherit" ? (parent?.shadow ?? false) : shadow !== "none",
    fill:
      fill === undefined || fill === "inherit"
        ? parent?.fill
        : fill === uncertain || scheme === null
          ? null
          : parseColor(fill, { scheme, current: color }),
    isOffscreen: isAway(scope),
    value,
  };
}

const animatedProperties =
  /^(?:color|background|opacity|visibility|display|filter|clip|-webkit-text-fill|all)/;

/** Whether an animation ends in another state than the element's own style, or never ends. */
function isAnimated(scope: Scope, styles: PageStyles): boolean {
  const value = valueOf(scope, "animation-name");
  if (value === undefined) return false;
  if (value === uncertain) return true;
  const [text, long] = value.startsWith("animation:") ? [value.slice(10), false] : [value, true];
  return splitCommas(text).some((one) => {
    const words = splitSpaces(one);
    const lasts =
      long ||
      /\b(?:infinite|forwards|both)\b/.test(one) ||
      valueOf(scope, "animation-timeline") !== undefined;
    return words.some((word) => {
      const changed = styles.keyframes.get(word);
      return (
        changed !== undefined && lasts && [...changed].some((name) => animatedProperties.test(name))
      );
    });
  });
}

/** Images and other elements whose content is unknown. */
const imageElements = new Set([
  "img",
  "picture",
  "video",
  "canvas",
  "svg",
  "iframe",
  "object",
  "embed",
]);

export function isImage(element: Element): boolean {
  return imageElements.has(element.name);
}

/** Whether a value is a length of at most four pixels: a line, not an area. */
export function isThin(value: Cascaded | undefined, viewing: Viewing): boolean {
  if (typeof value !== "string" || asFunction(value)?.name === "var") return false;
  const { width, height } = viewing;
  const length = lengthOf(value, { em: 16, rem: 16, width, height, percent: null });
  return length !== null && length <= 4;
}
