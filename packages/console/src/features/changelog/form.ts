import type { Entry } from "../../api/types.ts";
import { fromLocalField, toLocalField } from "./time-zone.ts";

/** The kinds that the page knows; any other single word is the owner's own. */
export const knownKinds = ["feature", "fix", "content", "design", "infra", "security"] as const;

/** The most characters of each text. */
export const bounds = { kind: 32, title: 140, detail: 2000, actor: 120 } as const;

/** An entry as the form holds it: `at` is the site's clock, empty for now. */
export interface EntryForm {
  kind: string;
  title: string;
  detail: string;
  at: string;
  actor: string;
}

export function formOf(entry: Entry | null, timeZone: string): EntryForm {
  if (entry === null) return { kind: "content", title: "", detail: "", at: "", actor: "" };
  const { kind, title, detail, actor } = entry;
  return { kind, title, detail, actor, at: toLocalField(entry.at, timeZone) };
}

/** What is missing before the server need be asked, by field; `half` is a time that is not all typed. */
export function missing(form: EntryForm, half = false): Record<string, string> {
  return {
    ...(half && { at: "Enter both the date and the time, or clear both." }),
    ...(form.kind.trim() === "" && { kind: "Enter the kind of change." }),
    ...(form.title.trim() === "" && { title: "Enter a title that says in one line what changed." }),
  };
}

/** What is sent for a new entry; what is empty is the server's to say. */
export function createBody(form: EntryForm, timeZone: string): Record<string, unknown> {
  const at = form.at === "" ? null : fromLocalField(form.at, timeZone);
  return {
    kind: form.kind.trim(),
    title: form.title,
    detail: form.detail,
    ...(at !== null && { at }),
    ...(form.actor.trim() !== "" && { actor: form.actor }),
  };
}

/** What is sent for a corrected entry: only what is different, so that its seconds stay. */
export function saveBody(entry: Entry, form: EntryForm, timeZone: string): Record<string, unknown> {
  const before = formOf(entry, timeZone);
  const { at, ...texts } = form;
  const changes = Object.entries(texts).filter(
    ([key, value]) => value !== before[key as keyof EntryForm],
  );
  const moment = at === before.at || at === "" ? null : fromLocalField(at, timeZone);
  return { id: entry.id, ...Object.fromEntries(changes), ...(moment !== null && { at: moment }) };
}
