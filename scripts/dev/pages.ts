/** A page for the development server: its HTML and its Content Security Policy. */
export interface DevPage {
  html: string;
  policy: string;
}

/** Vite serves the console's sources, its client, and its socket below this address. */
export const assetsPath = "/admin/assets/";
/** The scripts of Vite's client and React's refresh in a page. */
export const clientPath = `${assetsPath}@dev/client.js`;

/** The part of Vite's manifest that is read: the source of each built file. */
export type Manifest = Readonly<Record<string, { file: string }>>;

/** Sources of the built entries, by their addresses. */
function sourcesOf(manifest: Manifest): Map<string, string> {
  return new Map(
    Object.entries(manifest).map(([source, { file }]) => [assetsPath + file, assetsPath + source]),
  );
}

/** Styles that Vite adds to a page carry a nonce, unless the page's policy allows all styles. */
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
 * Replaces the built console in a page from web by the console's sources, which Vite serves:
 * scripts become their sources; style sheets and preloads are removed, because the sources bring
 * their own. `nonce` is for the styles that Vite adds.
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
