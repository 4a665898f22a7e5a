import type { Canary } from "./canary.ts";
import { markupEscapes } from "./elements.ts";
import type { Escape } from "./escape.ts";
import { navigationEscapes, scriptEscapes, userEscapes } from "./scripts.ts";

/** The same markup put into the page by a script, past what is rewritten on the way out. */
const addedMarkup: Escape[] = markupEscapes.map(({ name, html = "", alone = false }) => ({
  name: `${name}-added`,
  script: `document.documentElement.append(document.createRange().createContextualFragment(${JSON.stringify(html).replaceAll("<", "\\x3c")}))`,
  alone,
}));

/** A link that a user follows with a click can be opened in another tab as well. */
const userClicks: Escape[] = userEscapes.flatMap((escape) => {
  if (!escape.name.startsWith("user-link")) return [escape];
  const { name, html = "" } = escape;
  const acts = ["click", "middle-click", "modified-click"] as const;
  return acts.map((act): Escape => ({ name: `${name}-${act}`, html, act }));
});

const passiveEscapes: Escape[] = [...markupEscapes, ...addedMarkup, ...scriptEscapes];
export const activeEscapes: Escape[] = [...navigationEscapes, ...userClicks];
export const allEscapes: Escape[] = [...passiveEscapes, ...activeEscapes];

/** A page with some escapes. */
export interface EscapePage {
  /** Of its first escape: also its folder below `/e/`. */
  name: string;
  escapes: Escape[];
}

const perPage = 12;

/** Puts escapes into pages: many in one, but for those that need one of their own. */
export function intoPages(escapes: readonly Escape[]): EscapePage[] {
  const pages: EscapePage[] = [];
  let shared: EscapePage | null = null;
  for (const escape of escapes) {
    if (escape.alone || escape.act) {
      pages.push({ name: escape.name, escapes: [escape] });
    } else if (shared === null || shared.escapes.length === perPage) {
      shared = { name: escape.name, escapes: [escape] };
      pages.push(shared);
    } else {
      shared.escapes.push(escape);
    }
  }
  return pages;
}

const unfilled = "PREFIX";

/**
 * The page's HTML. Its own files are at `PREFIX`, which stays as it is when none is given. Its body has
 * `data-done` when every script had its time and something may still be on the way for a moment.
 */
export function pageHtml(page: EscapePage, canary: Canary, prefix = unfilled): string {
  const markup = page.escapes.map(({ name, html = "" }) => canary.fill(name, html, prefix));
  const scripts = page.escapes.map(({ name, script = "" }) => {
    const text = canary.fill(name, script, prefix);
    return `tries.push(async () => { ${text} });`;
  });
  return `<!doctype html><html><head><meta charset="utf-8"><title>Escape</title></head>
<body><p>Words.</p>${markup.join("\n")}
<script type="module">
const tries = [];
${scripts.join("\n")}
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const tried = tries.map((go) => Promise.race([go(), pause(400)]).catch(() => {}));
await Promise.all(tried);
await pause(300);
document.body.dataset.done = "";
</script></body></html>`;
}
