import { html as honoHtml, raw } from "hono/html";

/** `kit/html.ts` on hono's template: what is escaped is a string object of hono's. */
export const Markup = function markup(text: string) {
  const escaped = raw(text);
  return Object.defineProperty(escaped, "text", { value: text });
} as unknown as new (text: string) => { readonly text: string };

/** Hono's template, which may be a promise; with nothing to wait for it is none. */
export function html(strings: TemplateStringsArray, ...parts: unknown[]): unknown {
  const made = honoHtml(strings, ...parts);
  if (made instanceof Promise) throw new Error("Nothing here is waited for.");
  return Object.defineProperty(made, "text", { value: String(made) });
}
