/** What is wrong, by field. */
export type Mistakes = Record<string, string>;

/** A typed number; null for nothing, NaN for none. A comma is a point, spaces may part thousands. */
export function numberOf(text: string): number | null {
  const clean = text.replace(/[\s\u00a0\u202f]/g, "");
  if (clean === "") return null;
  return /^\d+([.,]\d+)?$/.test(clean) ? Number(clean.replace(",", ".")) : Number.NaN;
}

/** A whole typed number as people write it: "400 000" and "400,000" are the same. */
export function wholeOf(text: string): number | null {
  const clean = text.replace(/[\s\u00a0\u202f,.']/g, "");
  if (clean === "") return null;
  return /^\d+$/.test(clean) ? Number(clean) : Number.NaN;
}

/** Money of a currency, or a bare number where none is said. */
export function moneyWords(amount: number, currency: string | null): string {
  const digits = amount !== 0 && Math.abs(amount) < 0.1 ? 4 : 2;
  const options = { minimumFractionDigits: 2, maximumFractionDigits: digits };
  try {
    return new Intl.NumberFormat("en-GB", {
      ...options,
      ...(currency !== null && { style: "currency", currency }),
    }).format(amount);
  } catch {
    return `${amount.toFixed(digits)} ${currency ?? ""}`.trim();
  }
}

export const tokenWords = (tokens: number): string => tokens.toLocaleString("en-GB");
