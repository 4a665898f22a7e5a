import { audiences } from "../audience-labels.ts";
import type { FieldName, Values } from "./form.ts";

/** A file's name of a stored address, without the hash before it. */
export function fileName(src: string): string {
  return (src.split("/").at(-1) ?? src).replace(/^[0-9a-f]{12}-/, "");
}

/** A field's value as comparable text. */
export function fieldText(values: Values, field: FieldName): string {
  switch (field) {
    case "categories":
    case "stack":
      return values[field].join(", ");
    case "skills":
      return values.skills.map(({ group, items }) => `${group}: ${items.join(", ")}`).join("\n");
    case "metrics":
      return values.metrics
        .map(({ value, label, note }) => `${value} ${label}${note ? ` (${note})` : ""}`)
        .join("\n");
    case "gallery":
      return values.gallery
        .map(({ src, caption, alt, isDecorative }, index) => {
          const words = [caption, alt && `alt: ${alt}`, isDecorative && "decorative"]
            .filter(Boolean)
            .join(", ");
          return `${index + 1}. ${fileName(src)}${words ? `: ${words}` : ""}`;
        })
        .join("\n");
    case "reelUrl":
      return values.reelUrl ?? "";
    case "audience":
      return audiences.find(({ value }) => value === values.audience)?.label ?? values.audience;
    default:
      return values[field];
  }
}
