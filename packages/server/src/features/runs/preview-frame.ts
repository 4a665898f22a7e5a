import { hash } from "node:crypto";
import { html, Markup } from "../../kit/html.ts";

const style = "html,body,iframe{width:100%;height:100%;margin:0;border:0;display:block}";

/** The CSP source of the shell's style sheet. */
export const frameStyleSource = `sha256-${hash("sha256", style, "base64")}`;

/** Its text is exactly what the hash is of, whatever formats the page around it. */
const styleElement = new Markup(`<style>${style}</style>`);

/** The name of the frame in the shell, by which the frame script knows that no console is around it. */
const frameName = "vitrine-preview-tab";

/**
 * The page that holds a preview in a tab of its own. Nothing in browsers keeps the document of a tab
 * from leading that tab elsewhere; the document of a frame can go only where the page around it lets
 * frames go. `addressWithQuery` is the preview's page by its ticket, `path` the page's path on the site.
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
      </body>
    </html>`.text;
}
