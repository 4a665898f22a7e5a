/** A run of text as painted; lengths in CSS pixels from the corner of the page. */
export interface TextRun {
  text: string;
  shown: boolean;
  /** It is in a part of the page that a visitor has to open first. */
  closed: boolean;
  size: number;
  /** 1 to 21; null over an image. */
  contrast: number | null;
  /** What a click there hits: itself, an ancestor, its card's link, or something else. */
  hit: string;
  x: number;
  y: number;
  width: number;
  height: number;
  tag: string;
  main: boolean;
}

/** A link, a form, or a part of one. */
export interface PageControl {
  tag: string;
  /** What it is and does, after scripts have run. */
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

/** What a visitor sees of a page at one width and in one color scheme. */
export interface PageView {
  /** Null if there are too many to compare. */
  runs: TextRun[] | null;
  controls: PageControl[];
  images: PageImage[];
  /** The elements of the head as JSON: name, attributes, text. */
  head: string[];
  /** The whole scrollable area. */
  width: number;
  height: number;
  /** The window. */
  wide: number;
}

/** A configuration for viewing a page. */
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
