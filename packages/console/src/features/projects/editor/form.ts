import type { ProjectRecord } from "../../../../../server/src/features/projects/schema.ts";
import { type Keyed, newKey } from "./keyed-list.ts";

/** The fields of a project edited here; separate buttons change its status. */
export type Values = Pick<
  ProjectRecord,
  | "name"
  | "slug"
  | "summary"
  | "lede"
  | "body"
  | "kind"
  | "period"
  | "role"
  | "categories"
  | "stack"
  | "skills"
  | "metrics"
  | "gallery"
  | "reelUrl"
  | "brief"
  | "audience"
>;

export type FieldName = keyof Values;

/** The fields with a single text. */
export type TextField =
  | "name"
  | "slug"
  | "summary"
  | "lede"
  | "body"
  | "kind"
  | "period"
  | "role"
  | "reelUrl"
  | "brief";

/** The labels of the fields, in the order of the screen. */
export const fieldLabels: Readonly<Record<FieldName, string>> = {
  name: "Name",
  slug: "Address",
  audience: "Who can see it",
  summary: "Summary",
  lede: "Lede",
  gallery: "Gallery",
  body: "Text",
  kind: "Kind",
  period: "Period",
  role: "Role",
  categories: "Categories",
  stack: "Stack",
  metrics: "Metrics",
  skills: "Skills",
  reelUrl: "Instagram link",
  brief: "For the Web Designer",
};

export const fieldNames = Object.keys(fieldLabels) as FieldName[];

export interface Metric extends Keyed {
  value: string;
  label: string;
  note: string;
}

export interface SkillGroup extends Keyed {
  group: string;
  items: string[];
}

/** A place in the gallery. While its first upload runs, it has no address. */
export interface Slot extends Keyed {
  src: string | null;
  caption: string;
  alt: string;
  /** It is decorative: it has no alt text on purpose. */
  isDecorative?: boolean;
  /** The key of the upload that fills or replaces it. */
  upload: string | null;
}

/** The lists whose items have keys. */
export interface ListItems {
  skills: SkillGroup;
  metrics: Metric;
  gallery: Slot;
}
export type ListName = keyof ListItems;
export type Lists = { [L in ListName]: ListItems[L][] };

/** The project in the form: lists whose items keep their identity. */
export interface Form extends Record<TextField, string>, Lists {
  audience: Values["audience"];
  categories: string[];
  stack: string[];
  /** Whether the slug still follows the name. */
  slugFollows: boolean;
}

/** Items with keys: known ones by position, then new ones. */
function keyed<T extends object>(
  items: readonly T[],
  prefix: string,
  known: readonly Keyed[] = [],
): (T & Keyed)[] {
  const taken = new Set(known.map(({ key }) => key));
  const free = [...known, ...items].map((_, n) => `${prefix}${n}`).filter((key) => !taken.has(key));
  return items.map((item, n) => ({
    ...item,
    key: known[n]?.key ?? free.shift() ?? newKey(),
  }));
}

/**
 * The places for saved images: existing ones keep their keys and uploads, and a place that waits
 * for its file stays near its position.
 */
function toSlots(images: Values["gallery"], before: readonly Slot[]): Slot[] {
  const left = [...before];
  const slots = images.map((image, index): Slot => {
    const known = left.findIndex((slot) => slot.src === image.src);
    const [same] = known < 0 ? [] : left.splice(known, 1);
    const words = { src: image.src, caption: image.caption, alt: image.alt ?? "" };
    const texts = image.isDecorative ? { ...words, isDecorative: true } : words;
    return { key: same?.key ?? `${image.src} ${index}`, upload: same?.upload ?? null, ...texts };
  });
  for (const [index, slot] of before.entries())
    if (left.includes(slot) && slot.upload !== null)
      slots.splice(Math.min(index, slots.length), 0, { ...slot, src: null });
  return slots;
}

/**
 * The form for saved values. Items take the keys of `before` by position, so that the focus stays.
 */
export function toForm(values: Values, slugFollows: boolean, before?: Form): Form {
  return {
    name: values.name,
    slug: values.slug,
    summary: values.summary,
    lede: values.lede,
    body: values.body,
    kind: values.kind,
    period: values.period,
    role: values.role,
    brief: values.brief,
    audience: values.audience,
    reelUrl: values.reelUrl ?? "",
    categories: values.categories,
    stack: values.stack,
    skills: keyed(values.skills, "s", before?.skills),
    metrics: keyed(values.metrics, "m", before?.metrics).map(({ key, value, label, note }) => ({
      key,
      value,
      label,
      note: note ?? "",
    })),
    gallery: toSlots(values.gallery, before?.gallery ?? []),
    slugFollows,
  };
}

/** A text as the server stores it. */
export function clean(text: string): string {
  return text.replaceAll("\r\n", "\n").normalize("NFC").trim();
}

/** Places with a stored file; only these can be saved. */
export function filledSlots(form: Form): (Slot & { src: string })[] {
  return form.gallery.filter((slot): slot is Slot & { src: string } => slot.src !== null);
}

/** An empty metric, which is neither saved nor an error. */
export function isBlank(item: Metric | SkillGroup): boolean {
  return "items" in item
    ? clean(item.group) === "" && item.items.length === 0
    : clean(item.value) === "" && clean(item.label) === "" && clean(item.note) === "";
}

/** Whether removing the item would lose something. */
export function hasContent(item: Metric | SkillGroup | Slot): boolean {
  return "src" in item ? item.src !== null : !isBlank(item);
}

function toMetric({ value, label, note }: Metric): Values["metrics"][number] {
  const metric = { value: clean(value), label: clean(label) };
  return clean(note) === "" ? metric : { ...metric, note: clean(note) };
}

function toImage(slot: Slot & { src: string }): Values["gallery"][number] {
  const { src, caption, alt } = slot;
  const image = { src, caption: clean(caption) };
  if (slot.isDecorative === true) return { ...image, isDecorative: true };
  return clean(alt) === "" ? image : { ...image, alt: clean(alt) };
}

/** The values that the form would save. */
export function toValues(form: Form): Values {
  return {
    name: clean(form.name),
    slug: clean(form.slug),
    summary: clean(form.summary),
    lede: clean(form.lede),
    body: clean(form.body),
    kind: clean(form.kind),
    period: clean(form.period),
    role: clean(form.role),
    brief: clean(form.brief),
    audience: form.audience,
    reelUrl: clean(form.reelUrl) === "" ? null : clean(form.reelUrl),
    categories: form.categories,
    stack: form.stack,
    skills: form.skills
      .filter((skill) => !isBlank(skill))
      .map(({ group, items }) => ({ group: clean(group), items })),
    metrics: form.metrics.filter((metric) => !isBlank(metric)).map(toMetric),
    gallery: filledSlots(form).map(toImage),
  };
}
