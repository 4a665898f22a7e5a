import { html as honoHtml, raw } from "hono/html";

/** `kit/html.ts` with hono's template: escaped markup is one of hono's string objects. */
export const Markup = function markup(text: string) {
  const escaped = raw(text);
  return Object.defineProperty(escaped, "text", { value: text });
} as unknown as new (text: string) => { readonly text: string };

/** Hono's template, which may return a promise; without anything to wait for, it doesn't. */
export function html(strings: TemplateStringsArray, ...parts: unknown[]): unknown {
  const made = honoHtml(strings, ...parts);
  if (made instanceof Promise) throw new Error("Nothing here is waited for.");
  return Object.defineProperty(made, "text", { value: String(made) });
}
