import type { ProjectFields } from "../project.ts";
import { type NewDraft, runFields, wholeProject } from "./change.ts";

function metricLine({ value, label, note }: ProjectFields["metrics"][number]): string {
  return `${value} · ${label}${note === undefined || note === "" ? "" : ` · ${note}`}`;
}

function galleryLine(item: ProjectFields["gallery"][number]): string {
  const { src, caption, alt, isDecorative } = item;
  const words = alt === undefined ? [] : [`alt: ${alt}`];
  return [src, caption, ...words, ...(isDecorative ? ["decorative"] : [])].join(" · ");
}

function lines(field: string, value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (!Array.isArray(value)) return [];
  if (field === "metrics") return (value as ProjectFields["metrics"]).map(metricLine);
  if (field === "gallery") return (value as ProjectFields["gallery"]).map(galleryLine);
  if (field === "skills") {
    const groups = value as ProjectFields["skills"];
    return groups.map(({ group, items }) => `${group}: ${items.join(", ")}`);
  }
  return value.map(String);
}

function wholeText(draft: NewDraft): string {
  const status = draft.status === undefined ? [] : [`status:\n${draft.status}`];
  const fields = runFields.flatMap((field) => {
    const text = lines(field, draft[field]).join("\n");
    return text === "" ? [] : [`${field}:\n${text}`];
  });
  return [...fields, ...status].join("\n\n");
}

/** A field's value as lines of text for a diff; null if there is none. */
export function valueText(field: string, value: unknown): string | null {
  if (value === null) return field === wholeProject ? null : "";
  const text =
    field === wholeProject ? wholeText(value as NewDraft) : lines(field, value).join("\n");
  return text === "" ? "" : `${text}\n`;
}

/** The path under which a diff shows a project's field, next to the paths of files. */
export function changePath(slug: string, field: string): string {
  return field === wholeProject ? `projects/${slug}` : `projects/${slug}/${field}`;
}
