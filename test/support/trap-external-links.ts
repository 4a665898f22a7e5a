import {
  type Responder,
  broken,
  firstThen,
  goesOn,
  hangs,
  leads,
  ok,
  page,
  type TrapOrigins,
  resets,
  sends,
  type Trap,
  unknown,
} from "./trap-responses.ts";

/** One response to HEAD and another to everything else. */
const head =
  (first: Responder, then: Responder): Responder =>
  (request, response, times) =>
    (request.method === "HEAD" ? first : then)(request, response, times);

const refused = { verdict: "unknown", phase: "refused", code: "EPRIVATE" } as const;

/** External servers with separate names, so that limits for one don't affect the others. */
export function externalLinkTraps(places: TrapOrigins): Trap[] {
  const { out, outPort, closed, good, expired, wrong, unsigned } = places;
  const at = (
    name: string,
    path: string,
    answerer: Responder | null,
    expected: Trap["expected"],
    host = "out",
  ): Trap => ({
    name: `stranger: ${name}`,
    href: `http://${host}.test:${outPort}${path}`,
    ...(answerer && { serve: { [path]: answerer } }),
    ...(expected && { expected }),
  });
  const to = (name: string, href: string, expected: NonNullable<Trap["expected"]>): Trap => ({
    name: `stranger: ${name}`,
    href,
    expected,
  });
  const cookieDoor: Responder = (request, response, times) => {
    const isOpen = /seen=1/.test(request.headers.cookie ?? "");
    const respond = isOpen
      ? page("In")
      : sends(302, { location: "/s/door", "set-cookie": "seen=1" });
    respond(request, response, times);
  };
  return [
    at("fine", "/fine", page("Fine"), { ...ok, attempts: 1 }),
    at("405 on HEAD", "/s/405", head(sends(405), page("Here")), { ...ok, attempts: 1 }),
    at("404 on HEAD", "/s/404-head", head(sends(404), page("Here")), ok),
    at("fine on HEAD, gone", "/s/200-head", head(page("Here"), sends(404)), {
      ...broken,
      status: 404,
    }),
    at("403 on HEAD", "/s/403-head", head(sends(403), page("Here")), ok),
    at("HEAD hangs", "/s/hangs-head", head(hangs, page("Here")), { ...ok, attempts: 1 }, "hang"),
    at("HEAD is reset", "/s/reset-head", head(resets, page("Here")), ok, "reset"),
    at("hangs", "/s/hangs", hangs, { ...broken, phase: "headers", code: "ETIMEDOUT" }, "hang"),
    at("gone", "/s/404", sends(404), { ...broken, status: 404 }),
    at("gone permanently", "/s/410", sends(410), { ...broken, status: 410 }),
    at("forbidden", "/s/403", sends(403), { ...unknown, status: 403 }),
    at("sign-in", "/s/401", sends(401), { ...unknown, status: 401 }),
    at("no robots", "/s/999", sends(999), { ...unknown, status: 999 }),
    at("ill", "/s/500", sends(500), { ...broken, status: 500 }),
    at("ill for now", "/s/503", sends(503), { ...unknown, status: 503 }),
    at("its own server is away", "/s/521", sends(521), { ...broken, status: 521 }),
    at("a wall by its header", "/s/wall", sends(404, { "cf-mitigated": "challenge" }), unknown),
    at(
      "a wall by its words",
      "/s/words",
      head(sends(403), sends(200, {}, "<title>Just a moment...</title>")),
      unknown,
    ),
    at(
      "a wall with a captcha",
      "/s/captcha",
      head(sends(405), sends(404, {}, "<title>Solve the captcha</title>")),
      unknown,
    ),
    at(
      "asked too often, for a moment",
      "/s/429",
      firstThen(sends(429, { "retry-after": "0.2" }), page("Here")),
      { ...ok, attempts: 2 },
      "soon",
    ),
    at(
      "asked too often, for an hour",
      "/s/hour",
      sends(429, { "retry-after": "3600" }),
      { ...unknown, status: 429 },
      "later",
    ),
    at(
      "asked too often, until a date",
      "/s/date",
      sends(503, { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() }),
      { ...unknown, status: 503 },
      "dated",
    ),
    at(
      "quota used up",
      "/s/quota",
      sends(200, { ratelimit: "limit=1, remaining=0, reset=3600" }),
      ok,
      "quota",
    ),
    at("no Location", "/s/nowhere", sends(301), { ...broken, status: 301 }),
    at("in a circle", "/s/circle", leads("/s/circle"), {
      ...broken,
      phase: "redirect",
      code: "ELOOP",
    }),
    at("in a circle until a cookie comes back", "/s/door", cookieDoor, ok),
    at("leads to a private address", "/s/private", leads("http://127.0.0.1:8080/"), {
      ...refused,
      hops: 1,
    }),
    at("leads to a name of a private address", "/s/inside", leads("http://inside.test/"), {
      ...refused,
      hops: 1,
    }),
    at("leads to an app", "/s/app", leads("myapp://open"), { ...unknown, phase: "redirect" }),
    at(
      "its body never ends",
      "/s/endless",
      head(sends(405), goesOn("HTTP/1.1 200 OK\r\n\r\n", "x".repeat(50_000), 5)),
      ok,
    ),
    at(
      "its body stops",
      "/s/stops",
      head(sends(405), goesOn("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", "", 1000)),
      ok,
    ),
    to("from safe to unsafe", `${good}/down`, ok),
    to("a name in another script", `http://b\u00fccher.test:${outPort}/fine`, ok),
    to("a dot at the end of the name", `http://out.test.:${outPort}/fine`, refused),
    to("a name that nobody knows", "http://gone.test/", {
      ...broken,
      phase: "dns",
      code: "ENOTFOUND",
    }),
    to("a name that can't be looked up now", "http://ill.test/", { ...unknown, phase: "dns" }),
    to("nobody at home", closed, { ...broken, phase: "connect", code: "ECONNREFUSED" }),
    to("safe", good, ok),
    to("certificate expired", expired, { ...broken, phase: "tls", code: "CERT_HAS_EXPIRED" }),
    to("certificate of another name", wrong, {
      ...broken,
      phase: "tls",
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
    }),
    to("certificate of nobody", unsigned, {
      ...broken,
      phase: "tls",
      code: "DEPTH_ZERO_SELF_SIGNED_CERT",
    }),
    to("not safe where it says so", out.replace("http:", "https:"), { ...broken, phase: "tls" }),
    to("a port for mail", "http://out.test.example:25/", {
      ...unknown,
      phase: "refused",
      code: "EPORT",
    }),
    to("a private address", "http://192.168.1.1/", refused),
    to("a private address as a number", "http://3232235777/", { ...refused }),
    to("loopback in octal", "http://0177.0.0.1/", refused),
    to("loopback in IPv6", "http://[::1]:8080/", refused),
    to("an IPv4 inside IPv6", "http://[::ffff:169.254.169.254]/latest/", refused),
    to("NAT64", "http://[64:ff9b::a00:1]/", refused),
  ];
}
