/** The methods registered for each address, to tell 405 from 404. */
export interface MethodTable {
  add(pattern: string, methods: string | string[]): void;
  /** The methods that routes accept at this path; empty if there is none. */
  allowed(path: string): string[];
}

function toRegExp(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/:[A-Za-z0-9_]+/g, "[^/]+")
    .replaceAll("*", ".*");
  return new RegExp(`^${source}/?$`);
}

const reservedPrefixes = ["/api", "/admin", "/devconsole", "/_preview"];

/** Whether a path belongs to the program, so that a site's pages are never served there. */
export function isReservedPath(path: string): boolean {
  return reservedPrefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

/**
 * At reserved paths, a catch-all route for `/*` doesn't count: only explicitly registered addresses
 * exist.
 */
export function makeMethodTable(): MethodTable {
  const patterns = new Map<string, { match: RegExp; methods: Set<string> }>();
  return {
    add(pattern, methods) {
      const entry = patterns.get(pattern) ?? { match: toRegExp(pattern), methods: new Set() };
      for (const method of [methods].flat()) entry.methods.add(method);
      patterns.set(pattern, entry);
    },
    allowed(path) {
      const found = new Set<string>();
      for (const [pattern, { match, methods }] of patterns) {
        if (/^\/?\*$/.test(pattern) && isReservedPath(path)) continue;
        if (match.test(path)) for (const method of methods) found.add(method);
      }
      return [...found].toSorted();
    },
  };
}
