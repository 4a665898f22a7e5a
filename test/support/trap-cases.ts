import {
  type Responder,
  type Expected,
  type TrapOrigins,
  type Trap,
  sends,
  page,
  leads,
  writes,
  hangs,
  chain,
  ok,
  broken,
  unknown,
  none,
  one,
} from "./trap-responses.ts";
import { bodiesTraps, linesTraps } from "./trap-bodies.ts";

function statuses(): Trap[] {
  const rows: [status: number, expected: Expected][] = [
    [200, ok],
    [204, ok],
    [206, ok],
    [300, ok],
    [304, unknown],
    [305, unknown],
    [400, broken],
    [401, unknown],
    [402, unknown],
    [403, unknown],
    [404, broken],
    [405, unknown],
    [406, broken],
    [407, unknown],
    [408, unknown],
    [410, broken],
    [418, unknown],
    [422, broken],
    [425, unknown],
    [429, unknown],
    [451, unknown],
    [500, { ...broken, attempts: 2 }],
    [501, unknown],
    [502, { ...broken, attempts: 2 }],
    [503, unknown],
    [504, broken],
    [511, unknown],
    [599, broken],
    [777, unknown],
    [999, unknown],
  ];
  return rows.map(([status, expected]) =>
    one(`status ${status}`, `/status/${status}`, sends(status), { status, ...expected }),
  );
}

function redirects({ own, out }: TrapOrigins): Trap[] {
  const cookieWall: Responder = (request, response, times) => {
    if (/door=open/.test(request.headers.cookie ?? "")) page("Inside")(request, response, times);
    else
      sends(302, { location: "/door", "set-cookie": "door=open; Path=/" })(
        request,
        response,
        times,
      );
  };
  return [
    one("redirect without Location", "/r/none", sends(302), { ...broken, status: 302 }),
    one("redirect to nothing", "/r/empty-host", leads("http://"), { ...broken, status: 302 }),
    one("redirect to mail", "/r/mail", leads("mailto:a@b.example"), unknown),
    one("redirect to a script", "/r/script", leads("javascript:alert(1)"), unknown),
    {
      ...one("redirect, relative", "/r/relative", leads("target"), { ...ok, hops: 1 }),
      serve: { "/r/relative": leads("target"), "/r/target": page("Here") },
    },
    {
      ...one("redirect with a space", "/r/space", leads("/r/a b"), { ...ok, hops: 1 }),
      serve: { "/r/space": leads("/r/a b"), "/r/a%20b": page("Here") },
    },
    {
      ...one("redirect in UTF-8", "/r/utf8", hangs, { ...ok, hops: 1 }),
      serve: {
        "/r/utf8": writes(
          Buffer.from(
            "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: /r/caf\u00e9\r\nContent-Length: 0\r\n\r\n",
          ),
          false,
        ),
        "/r/caf%C3%A9": page("Here"),
      },
    },
    one("redirect without scheme", "/r/scheme", leads(`${own.slice(5)}/status/200`), {
      ...ok,
      hops: 1,
    }),
    one("redirect with a fragment", "/r/fragment", leads("/status/200#part"), { ...ok, hops: 1 }),
    one("redirect to what is gone", "/r/gone", leads("/status/404"), {
      ...broken,
      status: 404,
      hops: 1,
    }),
    one("redirect to a stranger", "/r/out", leads(`${out}/fine`), { ...ok, hops: 1 }),
    one("redirect to a private address", "/r/private", leads("http://192.168.7.7/"), {
      ...unknown,
      phase: "refused",
    }),
    one("redirect to metadata by a number", "/r/number", leads("http://2852039166/latest"), {
      ...unknown,
      phase: "refused",
    }),
    one("permanent redirect", "/r/308", leads("/status/200", 308), { ...ok, hops: 1 }),
    {
      ...one("redirects in a circle", "/r/a", leads("/r/b"), {
        ...broken,
        phase: "redirect",
        code: "ELOOP",
      }),
      serve: { "/r/a": leads("/r/b"), "/r/b": leads("/r/a") },
    },
    one("redirect to itself", "/r/self", leads("/r/self"), {
      ...broken,
      phase: "redirect",
      code: "ELOOP",
    }),
    one("redirect to itself until its cookie comes back", "/door", cookieWall, ok),
    {
      name: "ten redirects",
      href: "/ten",
      expected: { ...ok, hops: 10 },
      serve: chain("/ten", 11),
    },
    {
      name: "thirteen redirects",
      href: "/more",
      expected: { ...broken, phase: "redirect", code: "EHOPS" },
      serve: chain("/more", 14),
    },
    {
      name: "meta refresh in a circle",
      href: "/m/a",
      expected: ok,
      serve: {
        "/m/a": page("On", '<meta http-equiv="refresh" content="0; url=/m/b">'),
        "/m/b": page("On", "<meta http-equiv=refresh content=\"0;URL='/m/a'\">"),
      },
    },
  ];
}

function addresses({ own }: TrapOrigins): Trap[] {
  const link = (name: string, href: string, expected: Expected, asks?: string): Trap => ({
    name,
    href,
    expected,
    ...(asks !== undefined && { asks }),
  });
  return [
    {
      ...link("with an accent", "/n/\u00e9t\u00e9", ok),
      serve: { "/n/%C3%A9t%C3%A9": page("Here") },
    },
    link("the same, escaped", "/n/%C3%A9t%C3%A9", ok),
    { ...link("escaped per cent", "/n/100%25", ok), serve: { "/n/100%25": page("Here") } },
    link("a broken per cent sign", "/n/%zz", none),
    {
      ...link("a name in capitals", own.replace("http://own", "HTTP://OWN") + "/n/capitals", ok),
      serve: { "/n/capitals": page("Here") },
    },
    {
      ...link("a line break within", "/n/sp\nace", ok, "/n/space"),
      serve: { "/n/space": page("Here") },
    },
    {
      ...link("white space within", "/n/two words", ok, "/n/two%20words"),
      serve: { "/n/two%20words": page("Here") },
    },
    {
      ...link("dots in the path", "/n/../n/./dots", ok, "/n/dots"),
      serve: { "/n/dots": page("Here") },
    },
    { ...link("backslashes", "\\n\\back", ok, "/n/back"), serve: { "/n/back": page("Here") } },
    link(
      "with a name and password",
      own.replace("http://", "http://me:secret@") + "/status/200",
      ok,
    ),
    {
      ...link("two queries", "/n/q?a=1&b=2", ok),
      serve: { "/n/q?a=1&b=2": page("One"), "/n/q?a=2": page("Two") },
    },
    link("the other query", "/n/q?a=2", ok),
    link("other letters' case", "/N/Q?a=2", broken),
    link("a fragment only", "#top", ok, "/"),
    link("an empty fragment", "/status/200#", ok),
    link("a session in the address", "/n/s;jsessionid=12AB", none),
    link("a session in the query", "/n/s?PHPSESSID=12AB", none),
    link("the program's own", "/admin/qa", none),
    link("the program's interface", "/api/health", none),
    {
      name: "not to be asked: scripts, data, mail",
      href: "",
      markup:
        '<a href="javascript:void(0)">a</a><a href="data:text/html,x">b</a><a href="mailto:a@b.example">c</a><a href="tel:+46">d</a><a href="">e</a><a href="blob:x">f</a>',
    },
    link("no slashes", "http:status", none),
    link("no host", "http:///", none),
    link("no scheme", "www.example.com/x", none),
    link("another port is a stranger", own.replace(/\d+$/, "1"), { ...broken, phase: "connect" }),
  ];
}

/** Cases of the site itself; all of them are linked from its start. */
export function ownTraps(places: TrapOrigins): Trap[] {
  return [
    ...statuses(),
    ...redirects(places),
    ...linesTraps(),
    ...bodiesTraps(),
    ...addresses(places),
  ];
}
