const pagesFolder = "app/src/pages/";
const pageTypes = /\.(astro|mdx?|html)$/;

/**
 * The path of a page's address: "/about" for "https://site/about/?x#y", "/about", and
 * "/_preview/<run>/about". Null if it isn't an address.
 */
export function pagePath(pageUrl: string): string | null {
  let pathname: string;
  try {
    pathname = decodeURIComponent(new URL(pageUrl, "http://site.invalid").pathname);
  } catch {
    return null;
  }
  const path = pathname
    .replace(/^\/_preview\/[^/]+/, "")
    .replace(/\/index\.html$/, "/")
    .replace(/\.html$/, "")
    .replace(/\/+$/, "");
  return path === "" ? "/" : path;
}

/** The route that a page file serves, with parameters in brackets; null if it isn't a page. */
export function routeOf(file: string): string | null {
  if (!file.startsWith(pagesFolder) || !pageTypes.test(file)) return null;
  const parts = file.slice(pagesFolder.length).replace(pageTypes, "").split("/");
  if (parts.some((part) => part.startsWith("_"))) return null;
  if (parts.at(-1) === "index") parts.pop();
  return `/${parts.join("/")}`;
}

/**
 * How well a route matches a path: higher is more exact, 0 is no match. Rest parameters match
 * worst.
 */
function fit(route: string, path: string): number {
  if (route === path) return 1000;
  let score = 500;
  const wanted = path.split("/").slice(1);
  const parts = route.split("/").slice(1);
  for (const [i, part] of parts.entries()) {
    if (/^\[\.{3}.+\]$/.test(part)) return score - 100;
    const given = wanted[i];
    if (given === undefined || given === "") return 0;
    if (/\[.+\]/.test(part)) score -= 10;
    else if (part !== given) return 0;
  }
  return parts.length === wanted.length ? score : 0;
}

/** The page file that serves a path according to Astro's file-based routing; null if none does. */
export function sourceOfPath(files: readonly string[], path: string): string | null {
  let best: { file: string; score: number } | null = null;
  for (const file of files) {
    const route = routeOf(file);
    const score = route === null ? 0 : fit(route, path);
    if (score > (best?.score ?? 0)) best = { file, score };
  }
  return best?.file ?? null;
}
