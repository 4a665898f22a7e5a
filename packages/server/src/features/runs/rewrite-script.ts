/** `from "/_astro/…"`, `import "/_astro/…"`, and `import("/_astro/…")` as bundlers write them. */
const moduleAddress = /(\b(?:from|import)\s*(?:\(\s*)?)(["'`])(\/_astro\/[\w./@~%+-]+)\2/g;

/** Rewrites the addresses of the modules that a script imports, and nothing else. */
export function rewriteScript(source: string, map: (address: string) => string): string {
  return source.replace(
    moduleAddress,
    (_, before: string, quote: string, address: string) => before + quote + map(address) + quote,
  );
}
