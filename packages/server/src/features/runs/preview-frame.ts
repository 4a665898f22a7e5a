import { hash } from "node:crypto";
import { html, Markup } from "../../kit/html.ts";

const style = "html,body,iframe{width:100%;height:100%;margin:0;border:0;display:block}";

/**
 * Follows links in the frame with the session, because the page in the frame has an origin without
 * cookies. The page can only name pages and files of its own preview. A download needs a click.
 */
const script = `const frame = document.querySelector("iframe");
const root = location.pathname.split("/", 3).join("/");
addEventListener("message", ({ source, data }) => {
  if (source !== frame.contentWindow || typeof data?.path !== "string") return;
  const page = new URL(data.path.replace(/^[/\\\\]+/, "/"), "http://page.invalid/");
  if (page.host !== "page.invalid") return;
  const address = root + page.pathname + page.search + page.hash;
  if (data.kind === "link") frame.src = address;
  if (data.kind !== "file" || !navigator.userActivation?.isActive) return;
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: "" });
  link.click();
});`;

const sourceOf = (text: string) => `sha256-${hash("sha256", text, "base64")}`;

/** The CSP sources of the page's content. */
export const frameSources = { style: sourceOf(style), script: sourceOf(script) };

/** Their text is exactly what was hashed, however the page around them is formatted. */
const styleElement = new Markup(`<style>${style}</style>`);
const scriptElement = new Markup(`<script>${script}</script>`);

/**
 * The name of the frame in the shell, by which the frame script recognizes that there is no
 * console.
 */
const frameName = "vitrine-preview-tab";

/**
 * The page that shows a preview in its own tab. Browsers can't keep a tab's document from
 * navigating the tab elsewhere, but a frame's document can go only where the enclosing page allows.
 * `address` is the preview's page with its query, `path` the page's path on the site.
 */
export function previewFrame(address: string, path: string): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>Preview of ${path}</title>
        ${styleElement}
      </head>
      <body>
        <iframe
          name="${frameName}"
          title="Preview of ${path}"
          src="${address}"
          sandbox="allow-scripts"
          allow=""
          referrerpolicy="no-referrer"
        ></iframe>
        ${scriptElement}
      </body>
    </html>`.text;
}
