import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** A node of the compiler's tree (ESTree with JSX); offsets count UTF-16 units. */
export interface AstNode {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

interface Diagnosed {
  diagnostics: { severity: string }[];
}

/** What the compiler of .astro files does, on threads of its own. */
export interface AstroCompiler {
  parse(source: string): Promise<Diagnosed & { ast: { body?: AstNode[] } }>;
  transform(
    source: string,
    options: Record<string, unknown>,
  ): Promise<Diagnosed & { code: string; scope: string; css: string[] }>;
}

/** The very compiler that this Astro builds with: it belongs to Astro and is not installed beside it. */
export async function loadCompiler(): Promise<AstroCompiler> {
  const astro = createRequire(import.meta.url).resolve("astro/package.json");
  const file = createRequire(astro).resolve("@astrojs/compiler-rs/async");
  return (await import(pathToFileURL(file).href)) as AstroCompiler;
}
