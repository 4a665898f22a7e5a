import { isMediaName } from "./media-names.ts";
import type { Folder } from "./folder.ts";

/** The target of an address in a study. */
export type Resolved =
  /** A file of the folder. `differs`: its name differs in case or accents. */
  | { path: string; differs: boolean }
  /** An address on another site, which is never fetched. */
  | { remote: string }
  | { fault: string };

type Local = Extract<Resolved, { path: string } | { fault: string }>;

/** A key that is the same for all spellings that a file system may treat as the same name. */
const folded = (path: string) => path.normalize("NFC").toLowerCase();

function decoded(address: string): string | null {
  try {
    return decodeURIComponent(address);
  } catch {
    return null;
  }
}

/** The path below the root with `.` and `..` resolved; null if it is outside the folder. */
function within(from: string, path: string): string | null {
  const parts = path.startsWith("/") ? [] : from.split("/").filter(Boolean);
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

const isRemote = /^(?:https?:)?\/\//i;
const hasScheme = /^[a-z][a-z0-9+.-]*:/i;
// eslint-disable-next-line no-control-regex
const unfit = /[\u0000-\u001F\u007F\\]/;

/** Folders in which generators look for root-relative addresses. */
const assetRoots = [
  "",
  "public/",
  "static/",
  "assets/",
  "src/",
  "src/assets/",
  "src/static/",
].concat([
  "src/public/",
  "content/",
  "src/content/",
  "_assets/",
  "src/_assets/",
  "source/",
  "app/",
]);

/** An address without the prefixes of bundlers and generators. */
function withoutPrefix(address: string): string {
  return address.replace(/^(?:[@~$](?:\/|(?=[a-z]+\/))|(?:\.{0,2}\/)+)+/i, "");
}

/** The site as it was built, with copies of its images. */
const outputFolder = /^(?:_site|dist|\.netlify|\.cache|resources\/_gen)\//;

/** The number of leading characters that two folders share. */
function shared(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

export interface ResolverOptions {
  /** Whether images are also looked for in the folders of generators. */
  searches?: boolean;
  /** The folder that the generator runs in: empty, or with a `/` at its end. */
  base?: string;
  /** Why a file can't be imported, by its path. */
  unusable?: ReadonlyMap<string, string>;
  /** Folders whose images belong to one study, with a `/` at their end: no search finds them. */
  bundles?: ReadonlySet<string>;
}

type Lookup = (path: string) => Local | null;

/** Finds an image where a generator or its theme would look for it. */
function makeAssetSearch(
  files: Folder["files"],
  find: Lookup,
  { base, bundles }: { base: string; bundles: ReadonlySet<string> },
) {
  /** Whether a file is in the folder of another study than the one in `from`. */
  const isForeign = (path: string, from: string): boolean => {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end + 1);
      if (bundles.has(folder)) return !`${from}/`.startsWith(folder);
    }
    return false;
  };
  const byName = new Map<string, string[]>();
  for (const path of files.keys()) {
    if (!isMediaName(path)) continue;
    const name = folded(path.slice(path.lastIndexOf("/") + 1));
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  const inRoots = (address: string): Local | null => {
    const plain = withoutPrefix(address);
    // The first folder may be the site's base path, as on GitHub Pages.
    const below = plain.includes("/") ? [plain, plain.slice(plain.indexOf("/") + 1)] : [plain];
    for (const each of below) {
      for (const root of assetRoots) {
        const found = find(`${base}${root}${each}`);
        if (found !== null) return found;
      }
    }
    return null;
  };
  const byEnding = (address: string, from: string, owner: string): Local | null => {
    const plain = folded(withoutPrefix(address));
    const every = byName.get(plain.slice(plain.lastIndexOf("/") + 1)) ?? [];
    const named = every.filter((path) => !isForeign(path, from));
    const alike = named.filter((path) => folded(path).endsWith(`/${plain}`));
    // A folder with the study’s name comes first, and the site’s own output last.
    const rank = (path: string) =>
      (outputFolder.test(path.slice(base.length)) ? 2 : 0) -
      (owner !== "" && `/${folded(path)}`.includes(`/${folded(owner)}/`) ? 1 : 0);
    const [nearest, second] = alike.toSorted(
      (a, b) =>
        rank(a) - rank(b) ||
        shared(b, from) - shared(a, from) ||
        a.length - b.length ||
        (a < b ? -1 : 1),
    );
    if (nearest !== undefined) return { path: nearest, differs: second !== undefined };
    // In another folder, but the only file with this name.
    const [only] = named;
    return only !== undefined && named.length === 1 ? { path: only, differs: true } : null;
  };
  return { inRoots, byEnding };
}

/** Returns a function that finds a file by its path in any spelling. */
function makeLookup({ files, others }: Pick<Folder, "files" | "others">): Lookup {
  const spellings = new Map<string, string[]>();
  for (const path of files.keys()) {
    const key = folded(path);
    spellings.set(key, [...(spellings.get(key) ?? []), path]);
  }
  const isOther = (path: string) =>
    path.split("/").some((_part, index, parts) => others.has(parts.slice(0, index + 1).join("/")));

  return (path) => {
    if (files.has(path)) return { path, differs: false };
    if (isOther(path)) return { fault: "is behind a symbolic link, and links aren't followed" };
    const [same, second] = spellings.get(folded(path)) ?? [];
    if (same === undefined) return null;
    if (second !== undefined) return { fault: "matches several files that differ only in case" };
    return { path: same, differs: same.normalize("NFC") !== path.normalize("NFC") };
  };
}

/**
 * Makes what finds the file that an address in a file in the folder `from` means. A beginning `/`
 * stands for the root of the folder that is imported, or for where generators keep assets; an image
 * that is nowhere there may be looked for by the end of its address, first in a folder with the name
 * `owner`, which is the study's. Nothing outside of that folder is
 * ever named, however it is written, and nothing that is reached by a link.
 */
export function makeResolver(
  folder: Pick<Folder, "files" | "others">,
  { searches = false, base = "", unusable = new Map(), bundles = new Set() }: ResolverOptions = {},
): (address: string, from: string, owner?: string) => Resolved {
  const { files } = folder;
  const find = makeLookup(folder);
  const search = searches ? makeAssetSearch(files, find, { base, bundles }) : null;

  function findFile(address: string, from: string, owner: string): Local {
    if (unfit.test(address)) return { fault: "has characters that aren't allowed in an address" };
    const path = within(from, address);
    if (path === "") return { fault: "doesn't name a file" };
    const here = path === null ? null : find(path);
    if (here !== null) return here;
    const elsewhere =
      search !== null && isMediaName(address)
        ? (search.inRoots(address) ?? search.byEnding(address, from, owner))
        : null;
    if (elsewhere !== null) return elsewhere;
    return { fault: path === null ? "points outside the folder" : "doesn't exist" };
  }

  /** A file given with the site's own host, as social images are. */
  function findHosted(address: string): Local | null {
    const path = decoded(address.replace(/^(?:https?:)?\/\/[^/]*/i, "").replace(/[?#].*$/, ""));
    if (search === null || path === null || unfit.test(path) || !isMediaName(path)) return null;
    const clean = within("", path);
    return clean === null || !clean.includes("/") ? null : search.inRoots(`/${clean}`);
  }

  function resolve(address: string, from: string, owner: string): Resolved {
    const trimmed = address.trim();
    if (trimmed === "") return { fault: "doesn't name a file" };
    if (isRemote.test(trimmed)) {
      const hosted = findHosted(trimmed);
      return hosted !== null && "path" in hosted ? hosted : { remote: trimmed };
    }
    if (/^data:/i.test(trimmed)) return { remote: "data:" };
    if (hasScheme.test(trimmed)) return { fault: "isn't an address inside the folder" };
    // First literally, for a name with a percent sign; then decoded.
    const plain = findFile(trimmed, from, owner);
    if ("path" in plain) return plain;
    const meantAddress = decoded(trimmed.replace(/[?#].*$/, ""));
    if (meantAddress === null) return { fault: "isn't a valid address" };
    return findFile(meantAddress, from, owner);
  }

  return (address, from, owner = "") => {
    const found = resolve(address, from, owner);
    const why = "path" in found ? unusable.get(found.path) : undefined;
    return why === undefined ? found : { fault: `can’t be imported: ${why}` };
  };
}
