import { AppError } from "./errors.ts";

/** Parses JSON text; what is not JSON is `malformed_json`, with the parser's reason kept as cause. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new AppError("malformed_json", "This is not valid JSON.", { cause });
  }
}

/** How deep the lists and objects of a JSON text lie in each other: 0 for a lone value. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (inString) {
      if (character === "\\") i += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === "}" || character === "]") depth -= 1;
  }
  return deepest;
}
