import type { BuiltProject } from "../../../../../src/features/design/schema.ts";
import type { Memory } from "../../../storage.ts";
import type { Form, Values } from "../form.ts";
import { type PlacedFlag, placeFlags } from "./flags.ts";

/** What there is to know of a page that the Web Designer made, besides its fields. */
export interface Built {
  outline: boolean;
  notes: readonly string[];
  /** What is not in the brief and was neither changed nor kept yet. */
  flags: readonly PlacedFlag[];
  /** What the owner had written before: the way back. */
  before: Pick<Values, "body" | "brief">;
}

/** The values that are taken into the form: what its owner named stays as it is. */
export function builtValues({ project }: BuiltProject): Partial<Values> {
  const { name: _n, slug: _s, reelUrl: _r, ...values } = project;
  return values;
}

/** What the built page leaves of a form when its owner goes back. */
export function unbuiltValues(built: Built): Partial<Values> {
  return {
    ...built.before,
    summary: "",
    lede: "",
    kind: "",
    period: "",
    role: "",
    stack: [],
    skills: [],
    metrics: [],
  };
}

/** The built page as it is to be shown over a form that holds its values now. */
export function toBuilt(answer: BuiltProject, form: Form, before: Built["before"]): Built {
  const { outline, notes, flags } = answer;
  return { outline, notes, before, flags: placeFlags(form, flags) };
}

const key = "new-built";

/** Keeps in this browser that a page was built, beside the draft of its fields. */
export function keepBuilt(memory: Memory, built: Built | null): void {
  if (built === null) memory.remove(key);
  else memory.set(key, JSON.stringify(built));
}

/** What was kept; null when nothing was, or nothing that can be understood. */
export function keptBuilt(memory: Memory): Built | null {
  try {
    const kept = JSON.parse(memory.get(key) ?? "null") as Built | null;
    return kept !== null && Array.isArray(kept.flags) && Array.isArray(kept.notes) ? kept : null;
  } catch {
    return null;
  }
}
