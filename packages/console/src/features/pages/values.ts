export type Content = Record<string, unknown>;

export const isObject = (value: unknown): value is Content =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const names: Readonly<Record<string, string>> = {
  href: "Link address",
  link: "Link text",
  alt: "What the image shows",
  src: "Image address",
  nav: "Navigation",
  text: "Text",
};

/** The label of a content field: "principlesHeading" is "Principles heading". */
export function labelOf(key: string): string {
  const words = key
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[-_]/g, " ")
    .toLowerCase();
  const label = words.charAt(0).toUpperCase() + words.slice(1);
  return names[key] ?? label.replace(/^Faq\b/, "FAQ");
}

/** A value as somebody reads it: its fields by their names, one line each. */
export function readable(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map((item, index) => `${index + 1}. ${readable(item)}`).join("\n");
  }
  if (isObject(value)) {
    const lines = Object.entries(value).map(
      ([key, member]) => `${labelOf(key)}: ${readable(member)}`,
    );
    return lines.join("\n");
  }
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The same fields with nothing in them. */
export function emptied(value: unknown): unknown {
  if (typeof value === "string") return "";
  if (Array.isArray(value)) return [];
  if (!isObject(value)) return typeof value === "boolean" ? false : value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, emptied(member)]));
}

/** The label of a list entry: its name if it has one. */
export function entryName(value: unknown, index: number): string {
  const name = isObject(value) ? (value["name"] ?? value["label"] ?? value["question"]) : undefined;
  return typeof name === "string" && name !== "" ? name : `Entry ${index + 1}`;
}
