import { parseJson } from "../../kit/json.ts";
import { siteFile } from "../portability/resume/page-texts.ts";
import type { ContentFiles } from "./apply-setup.ts";

/** A JSON string, followed by the colon if it is a key. */
const jsonString = /"(?:[^"\\]|\\.)*"(\s*:)?/g;
/** Keys whose values are identifiers or addresses. */
const notText = new Set(["look", "language", "href", "src", "srcset", "icon", "kind", "email"]);

/** The name on the site's pages; null if `site.json` has none. */
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
 * Replaces a name in the site's content: by path, the new text of each file that contains it as a
 * whole word in a text that visitors read. Everything else stays byte for byte.
 */
export function renameSite(
  files: ContentFiles,
  { former, name }: { former: string; name: string },
): Record<string, string> {
  const word = new RegExp(`(?<![\\p{L}\\p{N}])${escapeRegExp(former)}(?![\\p{L}\\p{N}])`, "gu");
  const changed: Record<string, string> = {};
  for (const [path, text] of Object.entries(files)) {
    if (!path.startsWith("app/src/content/") || !path.endsWith(".json")) continue;
    // The key of the current value, or of the list that contains it.
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
