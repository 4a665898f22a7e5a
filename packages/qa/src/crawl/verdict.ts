import type { CrawlResponse, Verdict } from "./crawl.ts";
import type { Failure } from "./exchange.ts";

export interface Judgement {
  verdict: Verdict;
  /** Null if the verdict is `ok`. */
  reason: string | null;
}

const ok: Judgement = { verdict: "ok", reason: null };
const unknown = (reason: string): Judgement => ({ verdict: "unknown", reason });
const broken = (reason: string): Judgement => ({ verdict: "broken", reason });

/** Statuses that depend on us, the moment, or the network, and say nothing about the address. */
const undecided: Readonly<Record<number, string>> = {
  304: "it returns an unexpected 304",
  401: "it asks for a sign-in",
  402: "it asks for money",
  403: "access from here is denied",
  405: "it doesn't accept this kind of request",
  407: "a proxy asks for a sign-in",
  408: "it timed out",
  418: "it refuses robots",
  421: "the request was misdirected",
  425: "it asks to try again later",
  426: "it asks for another protocol",
  429: "it receives too many requests",
  451: "it is unavailable for legal reasons",
  501: "it doesn't accept this kind of request",
  503: "it is temporarily out of service",
  511: "the network requires a sign-in",
  999: "it refuses robots",
};

function ofStatus(status: number, headers: CrawlResponse["headers"]): Judgement {
  if (status >= 200 && status < 300) return ok;
  const why = undecided[status];
  if (why !== undefined) return unknown(why);
  if (status === 404) return broken("the page doesn't exist");
  if (status === 410) return broken("it was removed permanently");
  if (status === 300) return ok;
  if (status === 305 || status === 306) return unknown(`it returns ${status}`);
  if (status >= 301 && status <= 308) {
    return broken(
      headers["location"] === undefined
        ? "it redirects without a target"
        : "it redirects to an invalid address",
    );
  }
  return status >= 400 && status < 600
    ? broken(`it returns ${status}`)
    : unknown(`it returns ${status}`);
}

/** Failures that may just as well be our own. */
const oursToo = new Set([
  "EAI_AGAIN",
  "ESERVFAIL",
  "EREFUSED",
  "ECONNREFUSED_DNS",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  // Browsers fetch missing intermediate certificates.
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  // An encoding that wasn't asked for and that browsers may support.
  "EENCODING",
  "UND_ERR_DESTROYED",
  "UND_ERR_CLOSED",
  "UND_ERR_ABORTED",
  "ABORTED",
  "PAUSED",
]);

const certificate: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate isn't valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate isn't trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate isn't trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for a different name",
};

const failed: Readonly<Record<Failure["phase"], string>> = {
  refused: "its address isn't public",
  dns: "its name doesn't resolve",
  connect: "it refuses connections",
  tls: "no secure connection",
  headers: "it doesn't respond",
  body: "its response breaks off",
  redirect: "its redirects lead nowhere",
};

export function judgeFailure({ phase, code }: Failure): Judgement {
  if (phase === "refused") return unknown(failed.refused);
  if (code === "PAUSED") return unknown("the host asked not to be contacted for a while");
  if (phase === "dns" && code !== "ENOTFOUND" && code !== "ENODATA") {
    return unknown("its name can’t be looked up now");
  }
  if (phase === "redirect") {
    if (code === "ESCHEME") return unknown("it redirects to something other than a web page");
    return broken(code === "ELOOP" ? "its redirects form a loop" : "it has too many redirects");
  }
  if (oursToo.has(code)) return unknown("it can’t be reached from here");
  if (code === "ETIMEDOUT") {
    return broken(phase === "body" ? "its response doesn’t end" : "it takes too long");
  }
  return broken(certificate[code] ?? failed[phase]);
}

/** Detects the responses of bot protection by their headers. */
function isBotWall(headers: CrawlResponse["headers"]): boolean {
  const action = headers["x-amzn-waf-action"];
  return (
    headers["cf-mitigated"] !== undefined ||
    action === "challenge" ||
    action === "captcha" ||
    headers["x-sucuri-block"] !== undefined ||
    (headers["x-datadome"] !== undefined && headers["x-dd-b"] !== undefined) ||
    /^(?:px|perimeterx)/i.test(headers["x-px-block"] ?? "")
  );
}

/** Titles and sentences of bot protection, searched only near the start of a response. */
const botWallPatterns =
  /<title>\s*(?:just a moment|attention required!|pardon our interruption|access (?:to this page has been )?denied|robot check|are you a (?:human|robot)|human verification|security check|ddos-guard|checking your browser|client challenge|vercel security checkpoint|one moment, please|[^<]{0,40}\bcaptcha\b|verify(?:ing)? (?:that )?you are)|_cf_chl_opt|captcha-delivery\.com|px-captcha|_Incapsula_Resource\?SWUDNSAI|\/_sec\/cp_challenge/i;

/** Judges a response. `start` is the first part of the body; empty if it wasn't read. */
export function judge(
  status: number | null,
  headers: CrawlResponse["headers"],
  start: string,
  failure: Failure | null,
): Judgement {
  if (status === null || (failure && failure.phase === "redirect")) {
    return failure ? judgeFailure(failure) : unknown("it didn't respond");
  }
  if (isBotWall(headers) || (start !== "" && botWallPatterns.test(start))) {
    return unknown("it blocks automated requests");
  }
  const judged = ofStatus(status, headers);
  return judged.verdict === "ok" && failure ? judgeFailure(failure) : judged;
}
