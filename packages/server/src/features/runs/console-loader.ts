import type { ConsoleAssets } from "../admin-auth/console-assets.ts";

/**
 * Only this many characters are searched for the end of the body; browsers accept a script after it
 * as well.
 */
const maxTailCharacters = 64 * 1024;

/**
 * Adds the console's loader to a page of the site. Only for responses to a signed-in admin, which
 * are `private, no-store`: the page's file stays unchanged, and visitors get no trace of it.
 * The page's own policy already allows the site's own scripts, styles, and frames.
 *
 * @param html a whole document
 * @returns the document with the script at the end of its body, or unchanged if no console is built
 */
export function addConsoleLoader(html: string, assets: ConsoleAssets): string {
  const entry = assets.entry("loader");
  if (!entry) return html;
  const tag = `<script type="module" src="${entry.script}"></script>`;
  const from = Math.max(0, html.length - maxTailCharacters);
  const [last] = [...html.slice(from).matchAll(/<\/body/gi)].slice(-1);
  if (last === undefined) return html + tag;
  const end = from + last.index;
  return html.slice(0, end) + tag + html.slice(end);
}
