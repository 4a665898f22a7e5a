/**
 * A word or phrase as part of an address: lower case, a–z, 0–9 and hyphens.
 * Accents are dropped (å → a, ö → o). What has no such letters becomes its code points, so two
 * different texts in another script never meet at one address.
 */
export function slugify(text: string): string {
  const slug = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return (
    slug || [...text].map((character) => character.codePointAt(0)?.toString(16)).join("-") || "x"
  );
}
