/** The readable part of a stored file's address, without the hash. */
function readable(src: string): { stem: string; extension: string } {
  const [, stem = "picture", extension = "bin"] =
    /\/(?:[0-9a-f]{12}-)?([^/]+)\.([^./]+)$/.exec(src) ?? [];
  return { stem, extension };
}

/** A unique name for each address, also on file systems that ignore case. */
export function fileNames(srcs: Iterable<string>): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const src of srcs) {
    if (names.has(src)) continue;
    const { stem, extension } = readable(src);
    let name = `${stem}.${extension}`;
    for (let number = 2; taken.has(name); number += 1) name = `${stem}-${number}.${extension}`;
    taken.add(name);
    names.set(src, name);
  }
  return names;
}
