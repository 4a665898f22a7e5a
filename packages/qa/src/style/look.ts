import { type Element, parentOf } from "../page/dom.ts";
import { metaOf, type Page } from "../page/page.ts";
import { cascade, type Matched, mediaTruths } from "./cascade.ts";
import { type Computed, compute } from "./computed.ts";
import type { Viewing } from "./media.ts";
import { findOverlays, type Overlays } from "./overlays.ts";
import type { PageStyles } from "./page-styles.ts";

/** How a page looks in one way of viewing it. */
export interface Look {
  computed: ReadonlyMap<Element, Computed>;
  /** Asked for only where a text is faint: it takes long. */
  overlays(): Overlays;
  viewing: Viewing;
}

/** What has been computed for one way of looking; each element's is found below that around it. */
export interface Memory {
  below: WeakMap<Computed, Map<string, Computed>>;
  roots: Map<string, Computed>;
  count: number;
}

/** So many computed styles are kept for a set of style sheets. */
const mostComputed = 20_000;

const allMemories = new WeakMap<PageStyles, Map<Viewing, Memory>>();

export function memoriesOf(styles: PageStyles): Map<Viewing, Memory> {
  const known = allMemories.get(styles);
  if (known) return known;
  const fresh = new Map<Viewing, Memory>();
  allMemories.set(styles, fresh);
  return fresh;
}

export function memoryOf(memories: Map<Viewing, Memory>, viewing: Viewing): Memory {
  const known = memories.get(viewing);
  if (known && known.count < mostComputed) return known;
  const fresh: Memory = { below: new WeakMap(), roots: new Map(), count: 0 };
  memories.set(viewing, fresh);
  return fresh;
}

function siblingsIn(memory: Memory, parent: Computed | null): Map<string, Computed> {
  if (!parent) return memory.roots;
  const known = memory.below.get(parent);
  if (known) return known;
  const fresh = new Map<string, Computed>();
  memory.below.set(parent, fresh);
  return fresh;
}

/** Computes how every element of a page looks; what is remembered is not computed again. */
export function lookAt(of: {
  page: Page;
  styles: PageStyles;
  matched: ReadonlyMap<Element, Matched>;
  viewing: Viewing;
  memory: Memory;
}): Look {
  const { page, styles, matched, viewing, memory } = of;
  const truths = mediaTruths(styles, viewing);
  const computed = new Map<Element, Computed>();
  const pageScheme = metaOf(page, "color-scheme") ?? "";
  let root: number | null = null;
  for (const element of page.elements) {
    const around = parentOf(element);
    const parent = (around && computed.get(around)) ?? null;
    const { own, signature } = matched.get(element) as Matched;
    const known = siblingsIn(memory, parent);
    const key = parent ? signature : `${pageScheme} ${signature}`;
    let found = known.get(key);
    if (!found) {
      const style = cascade(own, truths, element);
      found = compute({ style, parent, styles, viewing, root, pageScheme });
      known.set(key, found);
      memory.count++;
    }
    if (around === null) root = found.size;
    computed.set(element, found);
  }
  const { elements } = page;
  let overlays: Overlays | undefined;
  return {
    computed,
    overlays: () =>
      (overlays ??= findOverlays({ elements, computed, matched, truths, styles, viewing })),
    viewing,
  };
}
