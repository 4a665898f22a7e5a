import { hash } from "node:crypto";

const sources = ["sha256-xW8aNKNfXlIOyEecG7fZLBSQOwjzHq6N3oFtrKDhq64="];

/**
 * Whether this is the inline script that applies the theme chosen by a visitor on pages of the
 * default site. It only reads and writes one word in the browser's storage, so it may run where no
 * other script of a site may: next to passwords and messages.
 */
export function isThemeScript(source: string): boolean {
  return sources.includes(`sha256-${hash("sha256", source, "base64")}`);
}

/** The directive of a policy that allows only this script. */
export const themeScriptPolicy = `script-src ${sources.map((source) => `'${source}'`).join(" ")}`;
