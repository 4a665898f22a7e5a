import type { Folder } from "./folder.ts";

/** What an address in a study leads to. */
export type Resolved =
  /** A file of the folder. `differs`: its name is written otherwise, in case or in accents. */
  | { path: string; differs: boolean }
  /** Elsewhere: never fetched. */
  | { remote: string }
  | { fault: string };

type Local = Extract<Resolved, { path: string } | { fault: string }>;

/** The same for every spelling that some file system takes for the same name. */
const folded = (path: string) => path.normalize("NFC").toLowerCase();

function decoded(address: string): string | null {
  try {
    return decodeURIComponent(address);
  } catch {
    return null;
  }
}

/** The path below the root, `.` and `..` taken away; null where it leads out of the folder. */
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

/**
 * Makes what finds the file that an address in a file in the folder `from` means. A beginning `/`
 * stands for the root of the folder that is imported, as generators have it. Nothing outside of that
 * folder is ever named, however it is written, and nothing that is reached by a link.
 */
export function makeResolver(folder: Folder): (address: string, from: string) => Resolved {
  const { files, others } = folder;
  const spellings = new Map<string, string[]>();
  for (const path of files.keys()) {
    const key = folded(path);
    spellings.set(key, [...(spellings.get(key) ?? []), path]);
  }
  const isOther = (path: string) =>
    path.split("/").some((_part, index, parts) => others.has(parts.slice(0, index + 1).join("/")));

  function find(path: string): Local | null {
    if (files.has(path)) return { path, differs: false };
    if (isOther(path)) return { fault: "is reached by a link, which is not followed" };
    const [same, second] = spellings.get(folded(path)) ?? [];
    if (same === undefined) return null;
    if (second !== undefined)
      return { fault: "could mean several files that differ in case alone" };
    return { path: same, differs: same.normalize("NFC") !== path.normalize("NFC") };
  }

  function findFile(address: string, from: string): Local {
    if (unfit.test(address)) return { fault: "has characters that no address has" };
    const path = within(from, address);
    if (path === null) return { fault: "leads out of the folder" };
    if (path === "") return { fault: "names no file" };
    return find(path) ?? { fault: "is not there" };
  }

  return (address, from) => {
    const trimmed = address.trim();
    if (trimmed === "") return { fault: "names no file" };
    if (isRemote.test(trimmed)) return { remote: trimmed };
    if (/^data:/i.test(trimmed)) return { remote: "data:" };
    if (hasScheme.test(trimmed)) return { fault: "is not an address inside the folder" };
    // As it stands, for a name with a percent sign in it; then as an address.
    const plain = findFile(trimmed, from);
    if ("path" in plain) return plain;
    const meantAddress = decoded(trimmed.replace(/[?#].*$/, ""));
    if (meantAddress === null) return { fault: "is not a well-formed address" };
    return findFile(meantAddress, from);
  };
}
