import { globSync } from "node:fs";
import { join } from "node:path";

const isModule = (name: string) => name !== "package.json" && /\.(?:[cm]?[jt]sx?|json)$/.test(name);
const isTyping = (name: string) => /\.d\.[cm]?ts$/.test(name);
export const isLicense = (name: string) => /^(?:licen[cs]e|notice|copying|copyright)/i.test(name);

/** Documents and their images, source maps, and sources that have been compiled. */
const isDocument = (name: string) =>
  /\.(?:map|md|markdown|flow|tsbuildinfo|html?|ya?ml|png|jpe?g|gif|mp3|cc|h|gyp|sh|scss)$/i.test(
    name,
  );

/** Whether it is in a folder of tests, documents, or configuration. */
export const isInSideFolder = (path: string): boolean =>
  /(?:^|\/)(?:\.[^/]+|tests?|__tests__|docs?|examples?|benchmarks?|coverage)\//.test(path);

/** The files of an installed package that it could need at run time, relative to its folder. */
export interface PackageFiles {
  modules: string[];
  others: string[];
}

/** Lists a package's files without typings, source maps, documents, and packages inside it. */
export function listPackageFiles(folder: string): PackageFiles {
  const files: PackageFiles = { modules: [], others: [] };
  const exclude = ["**/node_modules/**"];
  for (const entry of globSync("**/*", { cwd: folder, exclude, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    // Astro writes typings for a site from templates.
    if (isTyping(entry.name) && !path.startsWith("templates/")) continue;
    if (isModule(entry.name)) files.modules.push(path);
    else if (isLicense(entry.name)) files.others.push(path);
    else if (!isDocument(entry.name) && !isInSideFolder(path)) files.others.push(path);
  }
  return files;
}
