/** A provider's error, as a phrase that follows its name. */
export class ProviderError extends Error {}

const maxMessageLength = 200;

/** By error codes of Node and the OAuth library. */
const messagesByCode: Readonly<Record<string, string>> = {
  ENOTFOUND: "its host name doesn't exist",
  EAI_AGAIN: "its name can't be looked up",
  ECONNREFUSED: "nothing responds at its address",
  ECONNRESET: "the connection was lost",
  UND_ERR_SOCKET: "the connection was lost",
  UND_ERR_CONNECT_TIMEOUT: "nothing responds at its address",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate isn't trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate isn't trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate isn't trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  OAUTH_RESPONSE_IS_NOT_JSON: "its response isn't JSON",
  OAUTH_PARSE_ERROR: "its response isn't JSON",
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: "its issuer doesn't match its address",
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: "its response was meant for another site",
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: "its response has expired, or its clock is wrong",
  OAUTH_HTTP_REQUEST_FORBIDDEN: "its configuration names an address that isn't https",
};

function* causesOf(error: unknown): Generator<Error> {
  let left = 6;
  for (let e = error; e instanceof Error && left > 0; e = e.cause) {
    left -= 1;
    yield e;
  }
}

/** Describes a provider's error for the user. */
export function describeProviderError(error: unknown): string {
  for (const e of causesOf(error)) {
    if (e instanceof ProviderError) return e.message.slice(0, maxMessageLength);
    const {
      code,
      error: refusal,
      cause,
    } = e as { code?: unknown; error?: unknown; cause?: unknown };
    if (refusal === "invalid_client") return "it doesn't accept this site's client ID and secret";
    const words = typeof code === "string" ? messagesByCode[code] : undefined;
    if (words) return words;
    if (cause instanceof Response) return `it responded with status ${cause.status}`;
  }
  return "its response couldn't be used";
}

/**
 * The messages of an error and its causes for the log, without other properties, which may be
 * secret.
 */
export function describeForLog(error: unknown): string {
  return [...causesOf(error)]
    .map((e) => {
      const { code } = e as { code?: unknown };
      return typeof code === "string" ? `${e.message} (${code})` : e.message;
    })
    .join(": ");
}
