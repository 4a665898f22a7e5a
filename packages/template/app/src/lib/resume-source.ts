import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import site from "../content/site.json";
import { basics, groupedSections, sections } from "./resume.ts";
import { themeSelectors } from "./theme.ts";

/*
 * Setting the résumé takes longer than all pages of a small site. Its file says what it was made of,
 * so that the one that is published is used again as long as that is the same.
 */

/** The name under which the file says it, among its title and author. */
export const sourceName = "SourceHash";

/** Stands for all that the file is made of: its texts, the look, and the code that sets it. */
export function resumeSource(base: URL): string {
  const code = typeof RESUME_FILE === "undefined" ? "" : RESUME_FILE.code;
  const made = [code, base.href, site.language, themeSelectors];
  const texts = [basics, sections, groupedSections];
  return createHash("sha256")
    .update(JSON.stringify([made, texts]))
    .digest("hex");
}

/** The published file, if it was made of the same. */
export function publishedResume(source: string): Buffer | undefined {
  const file = typeof RESUME_FILE === "undefined" ? null : RESUME_FILE.published;
  if (file === null || !existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  return bytes.includes(`(${source})`) ? bytes : undefined;
}
