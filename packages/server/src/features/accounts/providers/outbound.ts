import { AppError } from "../../../kit/errors.ts";
import { checkedFetch } from "../../../platform/checked-fetch.ts";
import { describeProviderError, describeForLog, ProviderError } from "./provider-error.ts";

/** Sends requests; by default, one that connects to no forbidden address. */
export type Fetch = typeof fetch;

/** Time limit of a whole exchange with a provider, ms: the response follows within ten seconds. */
export const maxExchangeMs = 9_000;
/** Maximum size of a response after decompression, bytes. */
const maxBodyBytes = 256 * 1024;
/** Maximum concurrent exchanges; more are refused instead of queueing behind a stalled one. */
const maxConcurrentRequests = 32;

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (response.body === null) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the rest of the body.
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > maxBodyBytes) throw new ProviderError("its response is too large");
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/**
 * A fetch that follows no redirects, reads the whole response up to a limit, and stops with the
 * signal.
 */
function boundedFetch(base: Fetch, signal: AbortSignal): Fetch {
  return async (input, init) => {
    const response = await base(input, { ...init, redirect: "manual", signal });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new ProviderError("it redirected to another address, which isn't followed");
    }
    const body = await readBounded(response);
    const { status, statusText, headers } = response;
    const bare = body === null || body.byteLength === 0;
    return new Response(bare ? null : body, { status, statusText, headers });
  };
}

/** The error as `upstream_failed`, with details for the log as its cause. */
function upstreamFailed(name: string, error: unknown, isLate: boolean): AppError {
  const reason = isLate ? "it didn't respond in time" : describeProviderError(error);
  return new AppError("upstream_failed", `${name} can't be used right now: ${reason}.`, {
    // Not the error itself, which may contain tokens and claims.
    cause: new Error(describeForLog(error)),
  });
}

/** Exchanges with providers, limited in time, size, and number. */
export interface OutboundClient {
  /**
   * Runs `work` with a fetch that stops at the time limit. Errors become `upstream_failed`, except
   * AppErrors. Throws `unavailable` if too many are running.
   */
  send<T>(name: string, work: (fetch: Fetch) => Promise<T>): Promise<T>;
}

export function makeOutboundClient(options: { fetch?: Fetch; limitMs?: number }): OutboundClient {
  const { fetch: base = checkedFetch, limitMs = maxExchangeMs } = options;
  let underWay = 0;
  return {
    async send(name, work) {
      if (underWay >= maxConcurrentRequests) {
        throw new AppError(
          "unavailable",
          `Too many people are signing in with ${name}. Try again in a minute.`,
          {
            headers: { "retry-after": "60" },
          },
        );
      }
      underWay += 1;
      const signal = AbortSignal.timeout(limitMs);
      try {
        return await work(boundedFetch(base, signal));
      } catch (error) {
        if (error instanceof AppError) throw error;
        throw upstreamFailed(name, error, signal.aborted);
      } finally {
        underWay -= 1;
      }
    },
  };
}
