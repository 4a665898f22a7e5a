/** Whether a name fits a pattern of characters, `?` for any one and `*` for any number. */
function matchesName(name: string, pattern: string): boolean {
  let [at, index, star, from] = [0, 0, -1, 0];
  while (at < name.length) {
    const wanted = pattern[index];
    if (wanted === "*") {
      star = index;
      from = at;
      index += 1;
    } else if (wanted !== undefined && (wanted === "?" || wanted === name[at])) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      // The last star takes one more; those before it need never be looked at again.
      from += 1;
      at = from;
      index = star + 1;
    } else return false;
  }
  while (pattern[index] === "*") index += 1;
  return index === pattern.length;
}

/**
 * Whether a path fits a pattern: `*` and `?` within a name, `**` as a name for any number of folders.
 * All else stands for itself, as the brackets of `[slug].astro` do. The time is at most the product
 * of both lengths, whatever the pattern.
 */
export function matchesPath(path: string, pattern: string): boolean {
  const names = path.split("/");
  const parts = pattern.split("/");
  let [at, index, star, from] = [0, 0, -1, 0];
  while (at < names.length) {
    const part = parts[index];
    if (part === "**") {
      star = index;
      from = at;
      index += 1;
    } else if (part !== undefined && matchesName(names[at] ?? "", part)) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      from += 1;
      at = from;
      index = star + 1;
    } else return false;
  }
  while (parts[index] === "**") index += 1;
  return index === parts.length;
}
