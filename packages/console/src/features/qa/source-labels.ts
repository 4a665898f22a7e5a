import type { QaFinding } from "../../api/types.ts";
import { plainText } from "../../ui/plain-text.ts";

type Source = NonNullable<QaFinding["source"]>;
type RecordSource = Extract<Source, { kind: "record" }>;

const fieldNames: Readonly<Record<RecordSource["field"], string>> = {
  name: "Name",
  summary: "Summary",
  lede: "Lede",
  body: "Text",
  kind: "Kind",
  period: "Period",
  role: "Role",
  categories: "Categories",
  stack: "Stack",
  skills: "Skills",
  metrics: "Metrics",
  gallery: "Gallery",
  reelUrl: "Instagram link",
};

/** "app/src/pages/about.astro:12" (without a line if there are several), "Project Tidewater · Gallery, image 3". */
export function sourceLabel(source: Source): string {
  if (source.kind === "file") {
    return plainText(source.file) + (source.line === null ? "" : `:${source.line}`);
  }
  const { name, field, item } = source;
  const image = item === null ? "" : `, image ${item}`;
  return `Project ${plainText(name)} · ${fieldNames[field]}${image}`;
}

/** The editor for a record's field. */
export function editorAddressOf({ projectId, field, item }: RecordSource): string {
  return `/admin/projects/edit?id=${projectId}#${field}${item === null ? "" : `-${item}`}`;
}

/** Why a task can't fix a finding now. */
export const refusalLabels: Readonly<Record<NonNullable<QaFinding["fix"]["refusal"]>, string>> = {
  no_model: "Needs a model.",
  model_cannot_build: "Needs a model that can change the site.",
  model_cannot_see: "Needs a model that can read images.",
};
