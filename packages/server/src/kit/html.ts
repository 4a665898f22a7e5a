/** Markup that is safe to send: made by `html`, which escapes all values. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

type Part = Markup | string | number | null | readonly Part[];

function render(part: Part): string {
  if (part === null) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(render).join("");
  return String(part).replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** A template for HTML that escapes every value, for text and for quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...parts.map(render)));
}
