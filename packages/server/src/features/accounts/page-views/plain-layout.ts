import { hash } from "node:crypto";
import { html, Markup } from "../../../kit/html.ts";

/** Minimal styles for sites without a layout for these pages. */
const style = `:root{color-scheme:light dark;--bg:light-dark(#fbfbf9,#0f1114);--surface:light-dark(#f1f2ee,#181b20);--text:light-dark(#15181c,#eceef0);--muted:light-dark(#4a5059,#a4abb6);--accent:light-dark(#2440d8,#a3b5ff);--on:light-dark(#fff,#0f1114);--control:light-dark(#7f847c,#737a86);--line:light-dark(#d9dbd4,#2c3139);--ok:light-dark(#1c6b3c,#6fd39a);--danger:light-dark(#b4231c,#ff9389)}
*{box-sizing:border-box;margin:0}
html{background:var(--bg);color:var(--text);font:1.0625rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}
body{max-width:44rem;margin-inline:auto;padding:1rem 1.25rem 4rem}
h1{margin-block:2.5rem 1rem;font-size:2.25rem;line-height:1.1}
h2{margin-block:2.5rem 1rem;font-size:1.375rem;line-height:1.2}
ul{padding:0;list-style:none}
li{padding-block:.75rem}
dt,.muted,.lead,.field-note{color:var(--muted)}
dd{margin:0 0 .75rem}
a{color:inherit;text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
p+p,:is(p,div,dl,ul)+form{margin-top:.75rem}
.home,.account-link{display:inline-flex;align-items:center;min-height:2.75rem}
.account-project{display:grid}
.account-heading,.notice{margin-bottom:2rem}
.notice{padding:1rem 1.25rem;border-inline-start:4px solid var(--control);background:var(--surface)}
.notice.good{border-color:var(--ok)}
.notice.bad{border-color:var(--danger)}
.form{display:grid;gap:1.5rem;max-width:30rem}
.field label{font-weight:600}
.field input:not([type=checkbox]){width:100%;min-height:3rem;margin-top:.25rem;padding:.625rem .875rem;border:1px solid var(--control);border-radius:10px;background:var(--bg);color:var(--text);font:inherit}
.field [aria-invalid]{border-color:var(--danger)}
.field-error{font-weight:600;color:var(--danger)}
.check{display:flex;gap:.75rem;align-items:start;min-height:2.75rem;padding-block:.5rem}
.check input{flex:none;width:1.375rem;height:1.375rem}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center}
.button{display:inline-flex;align-items:center;justify-content:center;min-height:3rem;padding:.5rem 1.25rem;border:1px solid var(--control);border-radius:1.5rem;background:none;color:var(--text);font:600 1rem/1.25 system-ui,sans-serif;text-decoration:none;cursor:pointer}
.button.first{border-color:var(--accent);background:var(--accent);color:var(--on)}
.button.danger{border-color:var(--danger);color:var(--danger)}`;

/** The style source that the policy of such a page allows. */
export const plainStyleSource = `'sha256-${hash("sha256", style, "base64")}'`;

/** A whole page without the site's layout. */
export function plainLayout(siteName: string, title: string, content: Markup): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <title>${title} · ${siteName}</title>
        <link rel="icon" href="data:," />
        ${new Markup(`<style>${style}</style>`)}
      </head>
      <body>
        <header><a class="home" href="/">${siteName}</a></header>
        <main>${content}</main>
      </body>
    </html> `.text;
}
