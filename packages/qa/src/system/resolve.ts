import { lookup, Resolver } from "node:dns/promises";

/** The addresses of a name; throws an error with a `code` when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** As the system does it: its hosts file counts. */
export async function resolveBySystem(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

/**
 * Asks the name servers, many names at once, where the system's own way has four threads for the
 * whole process. What they don't know is asked of the system: it has a hosts file, and two ways
 * have to agree before a name counts as gone.
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
