import type { ConsoleEntry } from "./console-assets.ts";
import { Markup, html } from "../../kit/html.ts";

export interface PageSite {
  ownerName: string;
  timeZone: string;
  /** Whether the owner manages further sites here. */
  hasSites: boolean;
}

/** The links of the header, in order. */
const navItems = [
  ["/admin", "Overview"],
  ["/admin/projects", "Projects"],
  ["/admin/pages", "Pages"],
  ["/admin/tasks", "Tasks"],
  ["/admin/runs", "Runs"],
  ["/admin/qa", "QA"],
  ["/admin/media", "Media"],
  ["/admin/changelog", "Changelog"],
  ["/admin/members", "Members"],
  ["/admin/messages", "Messages"],
  ["/admin/sources", "Sources"],
  ["/admin/sites", "Sites"],
  ["/admin/settings", "Settings"],
] as const;

export type AdminNavItem = (typeof navItems)[number][0];

/** The header of the owner's pages; `here` marks the current one, if it is one of the links. */
export function siteHeader(site: PageSite, here: AdminNavItem | null): Markup {
  return html`<header class="site-header">
    <div class="site-bar">
      <a class="site-name" href="/">${site.ownerName}</a>
      <nav aria-label="Admin">
        <ul>
          ${navItems
            .filter(([address]) => site.hasSites || address !== "/admin/sites")
            .map(
              ([address, name]) =>
                html`<li>
                  <a
                    href="${address}"
                    ${address === here ? new Markup(` aria-current="page"`) : null}
                    >${name}</a
                  >
                </li>`,
            )}
        </ul>
      </nav>
      <div class="site-actions">
        <button class="button" type="button" data-palette hidden>Search</button>
        <form method="post" action="/admin/logout"><button class="button">Sign out</button></form>
      </div>
    </div>
  </header>`;
}

/**
 * A whole page: the head with what the entry needs, and the body. `parts` are chunks that the
 * entry's script will load on this page, so that the browser can preload them.
 */
export function layout(
  title: string,
  entry: ConsoleEntry | undefined,
  body: Markup,
  parts: readonly ConsoleEntry[] = [],
): string {
  const all = entry ? [entry, ...parts] : [];
  const fonts = new Set(all.flatMap((item) => item.fonts));
  const styles = new Set(all.flatMap((item) => item.styles));
  const scripts = new Set(all.flatMap((item) => [item.script].concat(item.imports)));
  if (entry) scripts.delete(entry.script);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${[...fonts].map((font) => html`<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin />`)}
        ${[...styles].map((style) => html`<link rel="stylesheet" href="${style}" />`)}
        ${[...scripts].map((script) => html`<link rel="modulepreload" href="${script}" />`)}
        ${entry ? html`<script type="module" src="${entry.script}"></script>` : null}
      </head>
      ${body}
    </html> `.text;
}
