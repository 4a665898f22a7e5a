import { hash } from "node:crypto";
import { html, Markup } from "../../kit/html.ts";

const style = "html,body,iframe{width:100%;height:100%;margin:0;border:0;display:block}";

/**
 * A link in the frame is followed here, with the session: the page in the frame has an origin that no
 * cookie is sent from. It may name pages and files of its own preview only. A download needs a click.
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

/** The CSP sources of what the page holds. */
export const frameSources = { style: sourceOf(style), script: sourceOf(script) };

/** Their text is exactly what the hashes are of, whatever formats the page around them. */
const styleElement = new Markup(`<style>${style}</style>`);
const scriptElement = new Markup(`<script>${script}</script>`);

/** The name of the frame in the shell, by which the frame script knows that no console is around it. */
const frameName = "vitrine-preview-tab";

/**
 * The page that holds a preview in a tab of its own. Nothing in browsers keeps the document of a tab
 * from leading that tab elsewhere; the document of a frame can go only where the page around it lets
 * frames go. `address` is the preview's page with its query, `path` the page's path on the site.
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
