/** A page as it leaves the development server: its text, and the policy under which it runs. */
export interface DevPage {
  html: string;
  policy: string;
}

/** Below this address Vite serves the console's sources, its client and its socket. */
export const assetsPath = "/admin/assets/";
/** The script that brings Vite's client and React's refresh into a page. */
export const clientPath = `${assetsPath}@dev/client.js`;

/** What of Vite's manifest is read: which source a built file was made of. */
export type Manifest = Readonly<Record<string, { file: string }>>;

/** Sources of the built entries, by their addresses. */
function sourcesOf(manifest: Manifest): Map<string, string> {
  return new Map(
    Object.entries(manifest).map(([source, { file }]) => [assetsPath + file, assetsPath + source]),
  );
}

/** Styles that Vite puts into a page carry a nonce, unless the page's policy takes any style. */
function allowStyles(policy: string, nonce: string): string {
  return policy
    .split("; ")
    .map((directive) =>
      directive.startsWith("style-src ") && !directive.includes("'unsafe-inline'")
        ? `${directive} 'nonce-${nonce}'`
        : directive,
    )
    .join("; ");
}

/**
 * Turns a page that web has made, with the built console in it, into one with the console's sources,
 * which Vite serves: scripts become their sources, style sheets and preloads go, because the sources
 * bring their own. `nonce` is for the styles that Vite puts in.
 */
export function developmentPage(page: DevPage, manifest: Manifest, nonce: string): DevPage {
  const sources = sourcesOf(manifest);
  const built = new RegExp(`<link\\b[^>]*href="${assetsPath}[^"]*"[^>]*>`, "g");
  const html = page.html
    .replace(built, "")
    .replace(/(<script\b[^>]*\bsrc=")([^"]+)(")/g, (whole, before, address, after) => {
      const source = sources.get(address as string);
      return source === undefined ? whole : `${before}${source}${after}`;
    });
  const added = `<meta property="csp-nonce" nonce="${nonce}"><script type="module" src="${clientPath}"></script>`;
  const head = /<head\b[^>]*>/i.exec(html);
  const at = head ? head.index + head[0].length : 0;
  return {
    html: head ? html.slice(0, at) + added + html.slice(at) : html,
    policy: allowStyles(page.policy, nonce),
  };
}
