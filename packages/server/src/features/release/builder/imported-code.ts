import { hash } from "node:crypto";
import { posix } from "node:path";

/** What a file of the sources says, by its path. */
export type SourceTexts = ReadonlyMap<string, string>;

/** Text in quotes that names a file by its place: relative to its own, or to the app folder. */
const fileName = /(["'`])((?:\.{1,2}|)\/[^"'`\n\\?#]+)(?:[?#][^"'`\n]*)?\1/g;

/** What imports more than the names in quotes say: by pattern, by a name that is computed, or by an alias. */
const ambiguous = [
  /\bimport\.meta\.glob/,
  /\b(?:import|require)\s*\(\s*(?!(["'])[^"'\n\\]+\1\s*[,)])/,
  /\b(?:from|import)\s*\(?\s*["'][#~]/,
];
const aliases = /"(?:paths|baseUrl|extends)"\s*:/;
const configuration = /^app\/[jt]sconfig\.json$/;

const endings = ["", ".ts", ".js", ".mjs", ".tsx", ".jsx", ".astro", ".json", ".css"];
const indexes = ["/index.ts", "/index.js", "/index.mjs"];

/** The files that a name in quotes may mean. */
function meantBy(name: string, from: string): string[] {
  const path = name.startsWith("/")
    ? posix.join("app", name)
    : posix.join(posix.dirname(from), name);
  const typed = path.replace(/\.([cm]?)js$/, ".$1ts");
  return [...[...endings, ...indexes].map((ending) => path + ending), typed];
}

/** The files that one imports, with those that they import; undefined where the text doesn't tell. */
function reachedFrom(entry: string, sources: SourceTexts): Set<string> | undefined {
  const reached = new Set([entry]);
  // Grows during the iteration.
  for (const file of reached) {
    const text = sources.get(file) ?? "";
    if (ambiguous.some((pattern) => pattern.test(text))) return undefined;
    for (const [, , name = ""] of text.matchAll(fileName)) {
      for (const path of meantBy(name, file)) if (sources.has(path)) reached.add(path);
    }
  }
  return reached;
}

/**
 * Stands for the code of a file and all that it imports: files in quotes that aren't imported count,
 * too. Null where that can't be told from the text, or there is no such file.
 * @param codes What stands for each file, by path.
 */
export function hashImportedCode(
  entry: string,
  sources: SourceTexts,
  codes: ReadonlyMap<string, string | null>,
): string | null {
  const hasAliases = [...sources].some(
    ([path, text]) => configuration.test(path) && aliases.test(text),
  );
  const reached = !hasAliases && sources.has(entry) ? reachedFrom(entry, sources) : undefined;
  if (reached === undefined) return null;
  const sorted = [...reached].toSorted().map((path) => [path, codes.get(path) ?? null]);
  return hash("sha256", JSON.stringify(sorted), "hex");
}
