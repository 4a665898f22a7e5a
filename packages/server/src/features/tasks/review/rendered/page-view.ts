/** A stretch of text as it is painted; lengths in CSS pixels from the corner of the page. */
export interface TextRun {
  text: string;
  shown: boolean;
  /** It stands in a part of the page that a visitor opens first. */
  closed: boolean;
  size: number;
  /** 1 to 21; null over an image. */
  contrast: number | null;
  /** Who gets a click there: itself, something around it, the link of its card, or another. */
  hit: string;
  x: number;
  y: number;
  width: number;
  height: number;
  tag: string;
  main: boolean;
}

/** A link, a form or a part of one. */
export interface PageControl {
  tag: string;
  /** What it is and does, as scripts have left it. */
  key: string;
  shown: boolean;
  pressable: boolean;
  width: number;
  height: number;
  main: boolean;
}

export interface PageImage {
  src: string;
  shown: boolean;
  loaded: boolean;
  lazy: boolean;
  width: number;
  height: number;
}

/** What a visitor sees of one page at one width, in one theme. */
export interface PageView {
  /** Null for more than can be compared. */
  runs: TextRun[] | null;
  controls: PageControl[];
  images: PageImage[];
  /** The elements of the head, as JSON: name, attributes, text. */
  head: string[];
  /** Of all that can be scrolled to. */
  width: number;
  height: number;
  /** Of the window. */
  wide: number;
}

/** How a page is looked at. */
export interface Viewport {
  width: number;
  theme: "light" | "dark";
}

export const viewports: readonly Viewport[] = [
  { width: 1440, theme: "light" },
  { width: 1440, theme: "dark" },
  { width: 390, theme: "light" },
  { width: 390, theme: "dark" },
];
