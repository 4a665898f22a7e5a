/** A typed number; null for nothing, NaN for none. A comma is a point, spaces may part thousands. */
export function numberOf(text: string): number | null {
  const clean = text.replace(/[\s\u00a0\u202f]/g, "");
  if (clean === "") return null;
  return /^\d+([.,]\d+)?$/.test(clean) ? Number(clean.replace(",", ".")) : Number.NaN;
}

/** A whole typed number as people write it: "400 000" and "400,000" are the same. */
export function parseInteger(text: string): number | null {
  const clean = text.replace(/[\s\u00a0\u202f,.']/g, "");
  if (clean === "") return null;
  return /^\d+$/.test(clean) ? Number(clean) : Number.NaN;
}

export const tokenLabels = (tokens: number): string => tokens.toLocaleString("en-GB");
