export type Encoding = "br" | "gzip" | "identity";

const supported: Encoding[] = ["br", "gzip", "identity"];

/** The weight of each coding in an Accept-Encoding header (RFC 9110, 12.5.3). */
function weights(header: string): Map<string, number> {
  const result = new Map<string, number>();
  for (const part of header.split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    if (name === "") continue;
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    const weight = q === undefined ? 1 : Number(q);
    result.set(name === "x-gzip" ? "gzip" : name, weight >= 0 && weight <= 1 ? weight : 0);
  }
  return result;
}

/**
 * The best available coding for a request; of equal weights, the smaller one. Falls back to
 * identity, even if the client refuses it, because a response is better than a 406.
 */
export function chooseEncoding(
  header: string | undefined,
  available: readonly Encoding[],
): Encoding {
  if (header === undefined || header === "") return "identity";
  const given = weights(header);
  const rest = given.get("*");
  const weightOf = (encoding: Encoding) =>
    given.get(encoding) ?? (encoding === "identity" ? (rest ?? 0.001) : (rest ?? 0));
  let best: Encoding = "identity";
  for (const encoding of supported.toReversed()) {
    if (encoding !== "identity" && !available.includes(encoding)) continue;
    const weight = weightOf(encoding);
    if (weight > 0 && weight >= weightOf(best)) best = encoding;
  }
  return best;
}
