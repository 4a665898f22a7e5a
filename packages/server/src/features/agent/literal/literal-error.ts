import { AppError } from "../../../kit/errors.ts";
import { grammar } from "./grammar.ts";

const maxPlaces = 12;

/** The literal editor understood the instruction but can't execute it; shown to the user. */
export function literalError(message: string): AppError {
  return new AppError("validation_failed", message, { fields: { instruction: message } });
}

/** Several places match; `how` says how to choose. */
export function ambiguousError(
  what: string,
  places: readonly { file: string; line: number; excerpt: string }[],
  how: string,
): AppError {
  const lines = places
    .slice(0, maxPlaces)
    .map((place) => `- ${place.file}:${place.line}: …${place.excerpt}…`);
  if (places.length > maxPlaces) lines.push(`- and ${places.length - maxPlaces} more`);
  return literalError(`${what} appears in ${places.length} places:\n${lines.join("\n")}\n${how}`);
}

export function notFound(what: string, where: string): AppError {
  return literalError(
    `${what} wasn't found ${where}. The literal editor matches texts exactly, in whole words.\nIt understands:\n${grammar}`,
  );
}
