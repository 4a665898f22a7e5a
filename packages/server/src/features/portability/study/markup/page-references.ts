/** Hugo's and Jekyll's tags that give the address of another page. */
const hugo =
  /\{\{[<%]\s{0,20}(?:rel)?ref\s{1,20}["'`]?([^"'`<>%{}\s]{1,300})["'`]?[^<>%{}]{0,200}[>%]\}\}/g;
const jekyll =
  /\{%-?\s{0,20}(?:link|post_url)\s{1,20}["']?([^"'<>%{}\s]{1,300})["']?\s{0,20}-?%\}/g;
/** What stands before an address: a link's bracket, a definition, an attribute, the site's own address. */
const beforeAddress = /(?:\]\(\s{0,9}<?|\]:\s{0,9}<?|=\s{0,9}["']?|\}\}\/?)$/;

/**
 * Makes the tags that give another page's address that page's path, which links between studies are
 * found by. Outside a link, such a tag becomes one.
 */
export function convertPageReferences(text: string): string {
  if (!/\{[{%]/.test(text)) return text;
  const replace = (whole: string, address: string, at: number, source: string) => {
    if (beforeAddress.test(source.slice(Math.max(0, at - 20), at))) return address;
    const words = /([^/#]+?)(?:\.\w{1,8})?\/?(?:#.*)?$/.exec(address)?.[1];
    return words === undefined ? whole : `[${words}](${address})`;
  };
  return text.replace(hugo, replace).replace(jekyll, replace);
}
