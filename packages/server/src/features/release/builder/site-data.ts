import { readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Plugin } from "vite";
import { placeShareImages } from "../moved-share-images.ts";
import type { Snapshot } from "../snapshot.ts";

// The records and the texts in app/src/content are data: page code imports them as modules, but what
// is compiled only says where they are read while a page is rendered. A site whose code is the same
// is therefore compiled once, whatever its records and texts say.

/** What page code reads of a build while it runs. */
export interface SiteData {
  snapshot: unknown;
  /** The parsed content file at a path below app/src, such as `content/home.json`. */
  readContent(path: string): unknown;
  /**
   * For lib/share-image.ts: published images (null: none), the output, how many it may draw, and what
   * has a live file of the output kept instead of copied; false if it can't be.
   */
  sharePictures: {
    published: string | null;
    out: string;
    most: number;
    keep?: ((path: string) => boolean) | undefined;
  };
  /** For pages/resume.pdf.ts: the file that is live (null: none), and what stands for the code that draws it. */
  resumeFile: { published: string | null; code: string };
}

export interface SiteDataOptions {
  /** The content's app folder. */
  root: string;
  snapshotFile: string;
  sharePictures: SiteData["sharePictures"];
  resumeFile: SiteData["resumeFile"];
}

/** Where compiled code finds the data. */
const place = "globalThis.__vitrineSite";
/** What the names that page code uses without importing them stand for. */
export const definitions = {
  SHARE_PICTURES: `${place}.sharePictures`,
  RESUME_FILE: `${place}.resumeFile`,
};

/** Lets the page code that this process renders from now on read this data. */
export function provideSiteData(options: SiteDataOptions): void {
  const { root, snapshotFile, sharePictures, resumeFile } = options;
  const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
  const snapshot = readJson(snapshotFile) as Snapshot;
  const shared = {
    redirects: snapshot.redirects,
    projects: snapshot.projects.map(({ slug, identity }) => {
      return { path: `/projects/${slug}/`, identity };
    }),
  };
  const data: SiteData = {
    snapshot,
    readContent(path) {
      const content = readJson(join(root, "src", path));
      return path === shareImages ? placeShareImages(content, shared) : content;
    },
    sharePictures,
    resumeFile,
  };
  Object.assign(globalThis, { __vitrineSite: data });
}

const contentFolder = "content";
const shareImages = `${contentFolder}/share.json`;
/** Around the path of a virtual module, whose name must not look like that of a JSON file. */
const prefix = "\0site-data:";
const suffix = ".js";
const name = /^[A-Za-z_$][\w$]*$/;

/** Whether a file, given by its path below app/, is data for the pages. */
export function isContentData(path: string): boolean {
  return path.startsWith(`src/${contentFolder}/`) && path.endsWith(".json");
}

/**
 * The names that a module made of this JSON exports besides its default; undefined where it does not
 * parse. The compiled code depends on them and on nothing else that is in the file.
 */
export function exportedNames(json: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    return Object.keys(value).filter((key) => name.test(key) && key !== "default");
  } catch {
    return undefined;
  }
}

const snapshotNames = ["site", "projects", "changelog", "redirects", "hiddenNames"];

/** The address of a file that a script names, unless it is plainly another file than JSON. */
const fileAddress = /new\s+URL\(\s*(?!(["'])[^"'\n]*(?<!\.json)\1)[^)]*import\.meta\.url/;

function moduleOf(expression: string, names: readonly string[]): string {
  // Keywords can't be declared, but they can be exported under their names.
  const parts = names.map((key, index) => `export { part${index} as ${key} };`);
  const values = names.map((key, index) => `const part${index} = data[${JSON.stringify(key)}];`);
  return [`const data = ${expression};`, "export default data;", ...values, ...parts].join("\n");
}

export interface SiteDataPlugin {
  plugin: Plugin;
  /**
   * Whether what was compiled depends on nothing but the code of the site, so that it can be used
   * with other data. Scripts for the browser that import data or name files by their address, and
   * imports from outside app/src, make it depend on more.
   */
  isReusable(): boolean;
}

export function makeSiteDataPlugin(options: SiteDataOptions): SiteDataPlugin {
  const srcDir = join(options.root, "src");
  const siteDir = dirname(options.root);
  let reusable = true;
  const isBelow = (folder: string, file: string) => file.startsWith(folder + sep);
  const isForBrowsers = (environment: { name: string }) => environment.name === "client";

  const plugin: Plugin = {
    name: "site-data",
    enforce: "pre",
    configResolved: () => provideSiteData(options),
    resolveId: {
      filter: { id: /^@snapshot$|\.json$/ },
      async handler(source, importer) {
        if (source === "@snapshot") {
          if (!isForBrowsers(this.environment)) return `${prefix}snapshot${suffix}`;
          reusable = false;
          return options.snapshotFile;
        }
        const found = await this.resolve(source, importer, { skipSelf: true });
        if (found === null || !isBelow(srcDir, found.id)) return found;
        const path = relative(srcDir, found.id);
        if (!isContentData(`src/${path}`) || isForBrowsers(this.environment)) return found;
        // What does not parse is left to Vite, which says so.
        const isSound = exportedNames(readFileSync(found.id, "utf8")) !== undefined;
        return isSound ? `${prefix}${path}${suffix}` : found;
      },
    },
    load: {
      handler(id) {
        if (id === `${prefix}snapshot${suffix}`)
          return moduleOf(`${place}.snapshot`, snapshotNames);
        if (id.startsWith(prefix)) {
          const path = id.slice(prefix.length, -suffix.length);
          const names = exportedNames(readFileSync(join(srcDir, path), "utf8")) ?? [];
          return moduleOf(`${place}.readContent(${JSON.stringify(path)})`, names);
        }
        const file = id.split("?")[0] ?? id;
        if (isBelow(siteDir, file)) {
          const path = relative(options.root, file);
          if (path.startsWith("..") || isContentData(path) || !path.startsWith("src/")) {
            reusable = false;
          }
        }
        return undefined;
      },
    },
    transform: {
      filter: { code: fileAddress },
      handler(_, id) {
        if (isForBrowsers(this.environment) && isBelow(siteDir, id)) reusable = false;
      },
    },
  };
  return { plugin, isReusable: () => reusable };
}
