import { AppError } from "../../../kit/errors.ts";
import { grammar } from "./grammar.ts";

const mostPlaces = 12;

/** The literal editor understood, but can't do it: said to the person who asked. */
export function trouble(message: string): AppError {
  return new AppError("validation_failed", message, { fields: { instruction: message } });
}

/** Several places fit; `how` says how to choose. */
export function ambiguous(
  what: string,
  places: readonly { file: string; line: number; excerpt: string }[],
  how: string,
): AppError {
  const lines = places
    .slice(0, mostPlaces)
    .map((place) => `- ${place.file}:${place.line}: …${place.excerpt}…`);
  if (places.length > mostPlaces) lines.push(`- and ${places.length - mostPlaces} more`);
  return trouble(`${what} is in ${places.length} places:\n${lines.join("\n")}\n${how}`);
}

export function notFound(what: string, where: string): AppError {
  return trouble(
    `${what} was not found ${where}. The literal editor matches texts exactly, in whole words. It understands:\n${grammar}`,
  );
}
