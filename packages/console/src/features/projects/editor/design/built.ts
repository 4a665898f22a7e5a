import type { BuiltProject } from "../../../../../../server/src/features/design/schema.ts";
import type { KeyValueStorage } from "../../../../ui/storage.ts";
import type { Form, Values } from "../form.ts";
import { bounds } from "../validate.ts";
import { type PlacedFlag, placeFlags } from "./flags.ts";

/** The result of the Web Designer besides the fields. */
export interface Built {
  outline: boolean;
  notes: readonly string[];
  /** Content that isn't in the brief and hasn't been changed or confirmed. */
  flags: readonly PlacedFlag[];
  before: Partial<Values>;
}

/** The owner's own values stay, including those of each image. */
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

/** What the owner had written before a page was built, to restore it. */
export function textBefore(mine: Values): Built["before"] {
  const { name: _n, slug: _s, reelUrl: _r, gallery: _g, ...words } = mine;
  return words;
}

/** The built page for a form with its values. */
export function toBuilt(response: BuiltProject, form: Form, before: Built["before"]): Built {
  const { outline, notes, flags } = response;
  return { outline, notes, before, flags: placeFlags(form, flags) };
}

const key = "new-built";

/** Stores in this browser that a page was built, next to the draft of its fields. */
export function saveBuilt(memory: KeyValueStorage, built: Built | null): void {
  if (built === null) memory.remove(key);
  else memory.set(key, JSON.stringify(built));
}

/** The stored value; null if there is none or it is invalid. */
export function loadBuilt(memory: KeyValueStorage): Built | null {
  try {
    const kept = JSON.parse(memory.get(key) ?? "null") as Built | null;
    return kept !== null && Array.isArray(kept.flags) && Array.isArray(kept.notes) ? kept : null;
  } catch {
    return null;
  }
}
