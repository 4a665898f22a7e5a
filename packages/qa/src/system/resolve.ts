import { lookup, Resolver } from "node:dns/promises";

/** Resolves a name to addresses; throws an error with a `code` if there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** As the system does it, including its hosts file. */
export async function resolveBySystem(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

/** What a name server responds about a name that doesn't exist, or has no address. */
const denials = new Set<unknown>(["ENOTFOUND", "ENODATA"]);

/**
 * Queries the name servers, many names at once; the system's resolver has four threads for the
 * whole process. Falls back to the system for unknown names, because it has a hosts file. The code
 * of an error is `ENOTFOUND` only if a name server has denied the name; if none responds, it is
 * `EAI_AGAIN`, whatever the system says. `servers` replaces the system's name servers.
 */
export function makeResolve(timeoutMs: number, servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: Math.max(100, Math.ceil(timeoutMs / 3)), tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (host) => {
    const responses = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = responses.flatMap((response) =>
      response.status === "fulfilled" ? response.value : [],
    );
    if (found.length > 0) return found;
    const isDenied = responses.some(
      (response) =>
        response.status === "rejected" &&
        denials.has((response.reason as { code?: unknown } | null)?.code),
    );
    return resolveBySystem(host).catch((cause: unknown) => {
      const message = `${host} ${isDenied ? "doesn't exist" : "can't be looked up"}`;
      const code = isDenied ? "ENOTFOUND" : "EAI_AGAIN";
      throw Object.assign(new Error(message, { cause }), { code });
    });
  };
}
