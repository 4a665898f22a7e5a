import { lookup, Resolver } from "node:dns/promises";

/** Resolves a name to addresses; throws an error with a `code` if there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** As the system does it, including its hosts file. */
export async function resolveBySystem(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

/**
 * Queries the name servers, many names at once; the system's resolver has four threads for the
 * whole process. Falls back to the system for unknown names: it has a hosts file, and both have to
 * agree before a name counts as nonexistent.
 */
export function makeResolve(timeoutMs: number): Resolve {
  const resolver = new Resolver({ timeout: Math.max(100, Math.ceil(timeoutMs / 3)), tries: 2 });
  return async (host) => {
    const responses = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = responses.flatMap((response) =>
      response.status === "fulfilled" ? response.value : [],
    );
    return found.length > 0 ? found : resolveBySystem(host);
  };
}
