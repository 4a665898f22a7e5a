import { hash } from "node:crypto";

const sources = ["sha256-xW8aNKNfXlIOyEecG7fZLBSQOwjzHq6N3oFtrKDhq64="];

/**
 * Whether this is the inline script by which pages of the default site take the theme that a visitor
 * chose. It reads and writes one word of the browser's storage and nothing else, so it is let run
 * where no other script of a site is: beside passwords and what people write.
 */
export function isThemeScript(source: string): boolean {
  return sources.includes(`sha256-${hash("sha256", source, "base64")}`);
}

/** The directive of a policy under which this script runs and no other. */
export const themeScriptPolicy = `script-src ${sources.map((source) => `'${source}'`).join(" ")}`;
