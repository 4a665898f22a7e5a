import type { Entry } from "../../api/types.ts";
import { fromLocalField, toLocalField } from "./time-zone.ts";

/** The kinds that the page offers; the owner can use any other word. */
export const knownKinds = ["feature", "fix", "content", "design", "infra", "security"] as const;

/** Maximum characters of each text. */
export const bounds = { kind: 32, title: 140, detail: 2000, actor: 120 } as const;

/** An entry in the form: `at` is in the site's time zone, empty for now. */
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

/** Missing fields that don't need the server to detect; `half` is an incomplete time. */
export function missing(form: EntryForm, half = false): Record<string, string> {
  return {
    ...(half && { at: "Enter both the date and the time, or clear both." }),
    ...(form.kind.trim() === "" && { kind: "Enter the kind of change." }),
    ...(form.title.trim() === "" && { title: "Enter a title that says in one line what changed." }),
  };
}

/** The request for a new entry; the server fills in empty fields. */
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

/** The request for an edited entry: only changed fields, so that seconds are kept. */
export function saveBody(entry: Entry, form: EntryForm, timeZone: string): Record<string, unknown> {
  const before = formOf(entry, timeZone);
  const { at, ...texts } = form;
  const changes = Object.entries(texts).filter(
    ([key, value]) => value !== before[key as keyof EntryForm],
  );
  const moment = at === before.at || at === "" ? null : fromLocalField(at, timeZone);
  return { id: entry.id, ...Object.fromEntries(changes), ...(moment !== null && { at: moment }) };
}
