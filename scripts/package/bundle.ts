import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { type Plugin, rolldown } from "rolldown";

/** What a bundled module uses in place of `import.meta`: JavaScript expressions. */
export interface SourceLocation {
  dirname: string;
  filename: string;
  url: string;
}

/** That of a module where it is now. */
export const sourceLocation = (file: string): SourceLocation => ({
  dirname: JSON.stringify(dirname(file)),
  filename: JSON.stringify(file),
  url: JSON.stringify(pathToFileURL(file).href),
});

export interface BundleOptions {
  /** The programs' modules, by the names that their bundles get. */
  programs: Record<string, string>;
  /** The folder for the bundles, and for what they share. */
  to: string;
  /** Of their names: `.mjs` where no package.json says that they are modules. */
  extension: ".js" | ".mjs";
  /**
   * Where the files beside a module of ours are found at run time, which is where the bundle looks
   * for them; null for modules that look for files beside the bundle.
   */
  locate(source: string): SourceLocation | null;
  /** How the bundle names a package that isn't part of it, from its name and its module's path. */
  nameExternal(name: string, file: string): string;
}

/** Of bundles, by path. */
export interface Bundled {
  /** The modules that they contain. */
  modules: string[];
  /** The modules of external packages that they import. */
  externals: string[];
}

/** Packages that load machine code or files of theirs, and Astro, which only builders load. */
const external =
  /^(?:@node-rs\/.+|astro|esbuild|jsdom|pagefind|pg-native|pino|piscina|rolldown|sharp|vite)(?:\/|$)/;

/** Code that is written for others, as in `url: import.meta.url` inside a text, isn't replaced. */
const ownLocation = /(?<!: )\bimport\.meta\.(dirname|filename|url)\b/g;

function locateSources(locate: BundleOptions["locate"]): Plugin {
  return {
    name: "locate-sources",
    transform: {
      filter: { id: /^\/(?!.*\/node_modules\/)[^?]*\.ts$/, code: "import.meta." },
      handler(code, id) {
        if (code.includes("import.meta.resolve(")) throw new Error(`${id} can't be bundled`);
        const location = locate(id);
        if (location === null) return null;
        return code.replaceAll(ownLocation, (_, name: keyof SourceLocation) => location[name]);
      },
    },
  };
}

function leaveOutside({ nameExternal }: BundleOptions, found: Set<string>): Plugin {
  return {
    name: "leave-outside",
    resolveId: {
      filter: { id: external },
      async handler(id, importer, options) {
        const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
        if (resolved) found.add(resolved.id);
        return { id: resolved ? nameExternal(id, resolved.id) : id, external: true };
      },
    },
  };
}

/**
 * Bundles programs with everything that they import, except for external packages: a process that
 * loads a few files starts sooner and needs less memory than one that loads more than a thousand.
 * Programs share what several of them need. Names, and so stack traces, stay as they are.
 */
export async function bundlePrograms(options: BundleOptions): Promise<Bundled> {
  const externals = new Set<string>();
  const bundle = await rolldown({
    input: options.programs,
    platform: "node",
    logLevel: "warn",
    // This and the default of `minify` drop calls whose only purpose is to throw, such as
    // `decodeURIComponent(text)`.
    treeshake: false,
    plugins: [leaveOutside(options, externals), locateSources(options.locate)],
  });
  const { output } = await bundle.write({
    dir: options.to,
    format: "esm",
    minify: false,
    entryFileNames: `[name]${options.extension}`,
    chunkFileNames: `part-[name]-[hash]${options.extension}`,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await bundle.close();
  const modules = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
  return { modules, externals: [...externals] };
}
