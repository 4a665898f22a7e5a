/**
 * A typed number; null if empty, NaN if invalid. A comma is a decimal point, spaces can separate
 * thousands.
 */
export function numberOf(text: string): number | null {
  const clean = text.replace(/[\s\u00a0\u202f]/g, "");
  if (clean === "") return null;
  return /^\d+([.,]\d+)?$/.test(clean) ? Number(clean.replace(",", ".")) : Number.NaN;
}

/** A typed integer: "400 000" and "400,000" are the same. */
export function parseInteger(text: string): number | null {
  const clean = text.replace(/[\s\u00a0\u202f,.']/g, "");
  if (clean === "") return null;
  return /^\d+$/.test(clean) ? Number(clean) : Number.NaN;
}

export const tokenLabels = (tokens: number): string => tokens.toLocaleString("en-GB");
