import type { BuiltProject } from "../../../../../../server/src/features/design/schema.ts";
import type { KeyValueStorage } from "../../../../ui/storage.ts";
import type { Form, Values } from "../form.ts";
import { bounds } from "../validate.ts";
import { type PlacedFlag, placeFlags } from "./flags.ts";

/** What there is to know of a page that the Web Designer made, besides its fields. */
export interface Built {
  outline: boolean;
  notes: readonly string[];
  /** What is not in the brief and was neither changed nor kept yet. */
  flags: readonly PlacedFlag[];
  before: Partial<Values>;
}

/** What the owner has named and said stays as it is, also of each picture. */
export function builtValues({ project }: BuiltProject, mine: Values): Partial<Values> {
  const { name: _n, slug: _s, reelUrl: _r, gallery, categories, ...values } = project;
  const known = new Map(mine.gallery.map((item) => [item.src, item]));
  return {
    ...values,
    categories: [...new Set([...mine.categories, ...categories])].slice(0, bounds.categories),
    gallery: gallery.map(({ src, caption, alt }) => {
      const own = known.get(src);
      const text = own?.alt ?? alt;
      const words = { src, caption: own?.caption || caption };
      return text === undefined ? words : Object.assign(words, { alt: text });
    }),
  };
}

/** What the owner had written before a page was built of it: the way back. */
export function textBefore(mine: Values): Built["before"] {
  const { name: _n, slug: _s, reelUrl: _r, gallery: _g, ...words } = mine;
  return words;
}

/** The built page as it is to be shown over a form that holds its values now. */
export function toBuilt(response: BuiltProject, form: Form, before: Built["before"]): Built {
  const { outline, notes, flags } = response;
  return { outline, notes, before, flags: placeFlags(form, flags) };
}

const key = "new-built";

/** Keeps in this browser that a page was built, beside the draft of its fields. */
export function saveBuilt(memory: KeyValueStorage, built: Built | null): void {
  if (built === null) memory.remove(key);
  else memory.set(key, JSON.stringify(built));
}

/** What was kept; null when nothing was, or nothing that can be understood. */
export function loadBuilt(memory: KeyValueStorage): Built | null {
  try {
    const kept = JSON.parse(memory.get(key) ?? "null") as Built | null;
    return kept !== null && Array.isArray(kept.flags) && Array.isArray(kept.notes) ? kept : null;
  } catch {
    return null;
  }
}
