import { hash } from "node:crypto";

const scriptTypes =
  /^(?:|module|importmap|(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/javascript1\.[0-5]|text\/(?:live|j)script)$/i;
const importMapKeys = new Set(["imports", "scopes", "integrity"]);

/** JSON isn't a program, but with a valid hash it could be speculation rules. */
function isOnlyImports(text: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return true;
  }
  return (
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).every((key) => importMapKeys.has(key))
  );
}

/**
 * The CSP source (Level 3, hash-source) that allows an inline script with this `type`; null for
 * data blocks, speculation rules, and JSON that could be such rules under another type.
 */
export function inlineScriptSource(type: string, text: string): string | null {
  if (text === "" || !scriptTypes.test(type.trim()) || !isOnlyImports(text)) return null;
  return `sha256-${hash("sha256", text, "base64")}`;
}
