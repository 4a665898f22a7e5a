import { AppError } from "./errors.ts";

/** Parses JSON text; what is not JSON is `malformed_json`, with the parser's reason kept as cause. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new AppError("malformed_json", "This is not valid JSON.", { cause });
  }
}
