import { parseJson } from "../../kit/json.ts";
import { siteFile } from "../portability/resume/page-texts.ts";
import type { ContentFiles } from "./apply-setup.ts";

/** A string in JSON, with the colon where it is a key. */
const jsonString = /"(?:[^"\\]|\\.)*"(\s*:)?/g;
/** Keys whose values are names of the program's own, or addresses. */
const notText = new Set(["look", "language", "href", "src", "srcset", "icon", "kind", "email"]);

/** The name that the site's pages carry; null where `site.json` has none. */
export function siteName(files: ContentFiles): string | null {
  try {
    const { name } = parseJson(files[siteFile] ?? "{}") as { name?: unknown };
    return typeof name === "string" && name.trim() !== "" ? name : null;
  } catch {
    return null;
  }
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/**
 * The site's content with one name in place of another: by path the new text of each file that says the
 * former one, as a whole word, in a text that visitors read. All else stays byte for byte.
 */
export function renameSite(
  files: ContentFiles,
  { former, name }: { former: string; name: string },
): Record<string, string> {
  const word = new RegExp(`(?<![\\p{L}\\p{N}])${escapeRegExp(former)}(?![\\p{L}\\p{N}])`, "gu");
  const changed: Record<string, string> = {};
  for (const [path, text] of Object.entries(files)) {
    if (!path.startsWith("app/src/content/") || !path.endsWith(".json")) continue;
    // Of the value that is read, or of the list that it is in.
    let key = "";
    const next = text.replace(jsonString, (whole, colon: string | undefined) => {
      if (colon !== undefined) {
        key = parseJson(whole.slice(0, -colon.length)) as string;
        return whole;
      }
      if (notText.has(key)) return whole;
      const before = parseJson(whole) as string;
      const after = before.replace(word, () => name);
      return after === before ? whole : JSON.stringify(after);
    });
    if (next !== text) changed[path] = next;
  }
  return changed;
}
