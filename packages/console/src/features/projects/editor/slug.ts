/** Maximum length of a slug, in characters. */
export const maxSlugLength = 80;

/** Letters without a removable accent. */
const spelled: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
};

/** The slug for a name: "Åre på höjden" → "are-pa-hojden"; empty if nothing is left. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[ßæœøđðþłı]/g, (letter) => spelled[letter] ?? "")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/['’]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, maxSlugLength)
    .replace(/-+$/, "");
}
