const locations = /<loc>\s*([^<\s]+)\s*<\/loc>/g;

/** The decoded paths in a sitemap, sorted; anything invalid is left out. */
export function pagesOf(xml: string): string[] {
  const paths = [...xml.matchAll(locations)].flatMap(([, address = ""]) => {
    const plain = address.replaceAll("&amp;", "&");
    return URL.canParse(plain) ? [new URL(plain).pathname] : [];
  });
  return [...new Set(paths)].toSorted();
}
