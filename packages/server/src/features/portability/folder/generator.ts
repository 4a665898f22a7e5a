import type { Folder } from "./folder.ts";

/** A folder's site generator; `none` if nothing identifies one. */
export type Generator = "astro" | "eleventy" | "gatsby" | "hugo" | "jekyll" | "next" | "none";

export interface SiteLayout {
  generator: Generator;
  /** The folder that the generator runs in, below the root: empty, or with a `/` at its end. */
  base: string;
  /** The file that identifies it; null if there is none. */
  config: string | null;
}

const configFiles: readonly [Generator, RegExp][] = [
  ["hugo", /^(?:config\/_default\/)?hugo\.(?:toml|ya?ml|json)$/],
  ["hugo", /^config\/_default\/config\.(?:toml|ya?ml|json)$/],
  ["astro", /^astro\.config\.(?:m?[jt]s|cjs)$/],
  ["eleventy", /^(?:\.eleventy\.c?js|eleventy\.config\.(?:[cm]?js|ts))$/],
  ["gatsby", /^gatsby-config\.(?:[cm]?js|ts)$/],
  ["next", /^next\.config\.(?:[cm]?js|ts)$/],
  ["jekyll", /^_config\.ya?ml$/],
  // Hugo's name for it until 2022; others have a file of that name, too.
  ["hugo", /^config\.(?:toml|ya?ml)$/],
];

/** How deep below the root a generator's folder may be. */
const maxBaseDepth = 3;
const demo = /(?:^|\/)(?:themes|exampleSite|examples?|demo|starters?|packages|vendor)\//;

/** Determines a folder's generator and where in the folder it runs, from its configuration. */
export function detectGenerator({ files }: Pick<Folder, "files">): SiteLayout {
  const shallow = [...files.keys()]
    .filter((path) => path.split("/").length <= maxBaseDepth + 2 && !demo.test(path))
    .toSorted((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
  // A configuration in config/_default is that of the folder above, where no file has to be.
  for (let depth = 1; depth <= maxBaseDepth; depth += 1) {
    for (const [generator, pattern] of configFiles) {
      for (const path of shallow) {
        const parts = path.split("/");
        const length = path.includes("config/_default/") ? depth + 2 : depth;
        if (parts.length !== length) continue;
        const below = parts.slice(depth - 1).join("/");
        if (!pattern.test(below)) continue;
        return { generator, base: path.slice(0, path.length - below.length), config: path };
      }
    }
  }
  return { generator: "none", base: "", config: null };
}
