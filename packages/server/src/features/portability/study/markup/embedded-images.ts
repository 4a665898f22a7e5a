/** Shorter ones do no harm, and the images of other sites are reported like them. */
const minLength = 500;
const opening = /(["'(<]|\]:[ \t]{0,9})data:[a-z]{1,20}\/[\w+.-]{1,60}(?:;[\w=-]{1,40}){0,3},/gi;
const mark = "\u0002";

/** Where data that begin at `start` end; -1 where they don't, which is remembered for the closing sign. */
function endOfData(text: string, start: number, before: string, missing: Set<string>): number {
  const closing = before === "<" ? ">" : before;
  if (closing === ">" || closing === '"' || closing === "'") {
    const end = missing.has(closing) ? -1 : text.indexOf(closing, start);
    if (end < 0) missing.add(closing);
    return end;
  }
  const data = /[^\s()<>"']*/y;
  data.lastIndex = start;
  data.exec(text);
  return data.lastIndex;
}

/**
 * Takes out long images that a text holds itself, as `data:` addresses, with the marks around them;
 * their alt texts stay where Markdown has them. Gives how many there were.
 */
export function takeEmbeddedImages(source: string): { text: string; count: number } {
  let text = "";
  let done = 0;
  let count = 0;
  const missing = new Set<string>();
  const pattern = new RegExp(opening);
  for (let found = pattern.exec(source); found !== null; found = pattern.exec(source)) {
    const [whole, before = ""] = found;
    const start = found.index + before.length;
    const end = endOfData(source, found.index + whole.length, before, missing);
    if (end - start < minLength) continue;
    text += source.slice(done, start) + mark;
    count += 1;
    done = end;
    pattern.lastIndex = end;
  }
  if (count === 0) return { text: source, count };
  text += source.slice(done);
  const names = new Set<string>();
  const definition = new RegExp(
    `^ {0,3}\\[([^\\]\\n]{1,100})\\]:[ \\t]{0,9}<?${mark}>?[^\\n]{0,300}$`,
    "gm",
  );
  const image = new RegExp(
    `!\\[([^\\]\\n]{0,300})\\]\\([ \\t]{0,9}<?${mark}>?[^)\\n]{0,300}\\)`,
    "g",
  );
  text = text
    .replace(definition, (_whole, name: string) => {
      names.add(name.toLowerCase());
      return "";
    })
    .replace(image, "$1")
    .replace(
      /!\[([^\]\n]{0,300})\](?:\[([^\]\n]{0,100})\])?(?!\()/g,
      (whole, alt: string, name?: string) =>
        names.has((name || alt).toLowerCase()) ? (name ? alt : "") : whole,
    );
  return { text: text.replaceAll(mark, ""), count };
}
