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

/** The compiler of .astro files, which runs on its own threads. */
export interface AstroCompiler {
  parse(source: string): Promise<Diagnosed & { ast: { body?: AstNode[] } }>;
  transform(
    source: string,
    options: Record<string, unknown>,
  ): Promise<Diagnosed & { code: string; scope: string; css: string[] }>;
}

/**
 * Loads the compiler that this Astro uses: it is a dependency of Astro and not installed
 * separately.
 */
export async function loadCompiler(): Promise<AstroCompiler> {
  const astro = createRequire(import.meta.url).resolve("astro/package.json");
  const file = createRequire(astro).resolve("@astrojs/compiler-rs/async");
  return (await import(pathToFileURL(file).href)) as AstroCompiler;
}
