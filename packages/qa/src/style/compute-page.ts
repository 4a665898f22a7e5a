import { type Element, parentOf } from "../page/dom.ts";
import { metaOf, type Page } from "../page/page.ts";
import { cascade, type Matched, evaluateMedia } from "./cascade.ts";
import { type Computed, compute } from "./computed.ts";
import type { Viewing } from "./media.ts";
import { findOverlays, type Overlays } from "./overlays.ts";
import type { PageStyles } from "./page-styles.ts";

/** The computed look of a page in one viewing. */
export interface ComputedPage {
  computed: ReadonlyMap<Element, Computed>;
  /** Called only if a text has too little contrast, because it takes long. */
  overlays(): Overlays;
  viewing: Viewing;
}

/** Computed styles for one viewing; each element's style is found below that of its parent. */
export interface StyleCache {
  below: WeakMap<Computed, Map<string, Computed>>;
  roots: Map<string, Computed>;
  count: number;
}

/** The maximum number of computed styles kept for a set of style sheets. */
const maxComputed = 20_000;

const allStyleCaches = new WeakMap<PageStyles, Map<Viewing, StyleCache>>();

export function styleCachesOf(styles: PageStyles): Map<Viewing, StyleCache> {
  const known = allStyleCaches.get(styles);
  if (known) return known;
  const fresh = new Map<Viewing, StyleCache>();
  allStyleCaches.set(styles, fresh);
  return fresh;
}

export function styleCacheOf(styleCaches: Map<Viewing, StyleCache>, viewing: Viewing): StyleCache {
  const known = styleCaches.get(viewing);
  if (known && known.count < maxComputed) return known;
  const fresh: StyleCache = { below: new WeakMap(), roots: new Map(), count: 0 };
  styleCaches.set(viewing, fresh);
  return fresh;
}

function siblingsIn(styleCache: StyleCache, parent: Computed | null): Map<string, Computed> {
  if (!parent) return styleCache.roots;
  const known = styleCache.below.get(parent);
  if (known) return known;
  const fresh = new Map<string, Computed>();
  styleCache.below.set(parent, fresh);
  return fresh;
}

/** Computes the style of every element of a page, using cached results. */
export function computePage(of: {
  page: Page;
  styles: PageStyles;
  matched: ReadonlyMap<Element, Matched>;
  viewing: Viewing;
  memory: StyleCache;
}): ComputedPage {
  const { page, styles, matched, viewing, memory: styleCache } = of;
  const mediaMatches = evaluateMedia(styles, viewing);
  const computed = new Map<Element, Computed>();
  const pageScheme = metaOf(page, "color-scheme") ?? "";
  let root: number | null = null;
  for (const element of page.elements) {
    const around = parentOf(element);
    const parent = (around && computed.get(around)) ?? null;
    const { own, signature } = matched.get(element) as Matched;
    const known = siblingsIn(styleCache, parent);
    const key = parent ? signature : `${pageScheme} ${signature}`;
    let found = known.get(key);
    if (!found) {
      const style = cascade(own, mediaMatches, element);
      found = compute({ style, parent, styles, viewing, root, pageScheme });
      known.set(key, found);
      styleCache.count++;
    }
    if (around === null) root = found.size;
    computed.set(element, found);
  }
  const { elements } = page;
  let overlays: Overlays | undefined;
  return {
    computed,
    overlays: () =>
      (overlays ??= findOverlays({ elements, computed, matched, mediaMatches, styles, viewing })),
    viewing,
  };
}
