import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isBadPort, isPublicAddress, literalAddress } from "./address.ts";
import { guardedConnect, makeGuardedDispatcher, OutboundError } from "./guard.ts";

const server = createServer((_request, response) => response.end("inside"));
let port: number;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});

afterAll(() => server.close());

const nobody = () => false;
const here = () => Promise.resolve(["127.0.0.1"]);
const reported = (error: unknown) =>
  error instanceof OutboundError ? `${error.phase} ${error.code}` : String(error);

type Options = Parameters<typeof makeGuardedDispatcher>[0];

function dispatcherWith(options: Partial<Options>) {
  return makeGuardedDispatcher({ allow: nobody, connectMs: 2000, connections: 1, ...options });
}

/** What becomes of a request. */
function ask(dispatcher: ReturnType<typeof makeGuardedDispatcher>, origin: string) {
  return new Promise<string>((resolve) => {
    dispatcher.dispatch(
      { origin, path: "/", method: "GET" },
      {
        onRequestStart() {},
        onResponseStart: (_controller, status) => resolve(`answered ${status}`),
        onResponseData() {},
        onResponseEnd() {},
        onResponseError: (_controller, error) => resolve(reported(error)),
      },
    );
  });
}

async function request(origin: string, options: Partial<Options> = {}): Promise<string> {
  const dispatcher = dispatcherWith(options);
  try {
    return await ask(dispatcher, origin);
  } finally {
    await dispatcher.destroy();
  }
}

test.each([
  ["private", "10.0.0.1"],
  ["private", "172.16.3.4"],
  ["private", "192.168.0.1"],
  ["loopback", "127.9.9.9"],
  ["this network", "0.0.0.0"],
  ["metadata", "169.254.169.254"],
  ["metadata in public space", "168.63.129.16"],
  ["metadata", "192.0.0.192"],
  ["metadata", "100.100.100.200"],
  ["metadata", "fd00:ec2::254"],
  ["metadata", "fd20:ce::254"],
  ["shared by a provider", "100.64.0.1"],
  ["documents", "192.0.2.1"],
  ["measuring", "198.18.0.1"],
  ["6to4 relay", "192.88.99.1"],
  ["multicast", "224.0.0.1"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["unspecified", "::"],
  ["loopback", "::1"],
  ["IPv4 inside", "::ffff:8.8.8.8"],
  ["IPv4 inside, old", "::8.8.8.8"],
  ["NAT64", "64:ff9b::808:808"],
  ["local NAT64", "64:ff9b:1::1"],
  ["6to4", "2002:808:808::1"],
  ["Teredo", "2001::1"],
  ["unique local", "fd00::1"],
  ["link local", "fe80::1"],
  ["link local with a zone", "fe80::1%eth0"],
  ["site local", "fec0::1"],
  ["documents", "2001:db8::1"],
  ["documents", "3fff::1"],
  ["segments", "5f00::1"],
  ["multicast", "ff02::1"],
  ["no address", "example.com"],
  ["octal", "0177.0.0.1"],
])("abuse 91: %s addresses such as %s are not public", (_name, address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  "8.8.8.8",
  "93.184.216.34",
  "168.63.129.17",
  "2606:4700::1111",
  "2a00:1450:4001:800::200e",
])("%s is public", (address) => expect(isPublicAddress(address)).toBe(true));

test.each([
  ["2130706433", "127.0.0.1"],
  ["0x7f000001", "127.0.0.1"],
  ["0x7f.1", "127.0.0.1"],
  ["0177.0.0.1", "127.0.0.1"],
  ["127.1", "127.0.0.1"],
  ["127.0.0.1.", "127.0.0.1"],
  ["\uff11\uff12\uff17.0.0.1", "127.0.0.1"],
  ["[::1]", "::1"],
  ["[::ffff:127.0.0.1]", "::ffff:127.0.0.1"],
  ["example.com", null],
  ["1.2.3.4.5", undefined],
  ["a/b", undefined],
  ["user@host", undefined],
  ["", undefined],
])("abuse 91: the host %s means %s", (host, address) => {
  expect(literalAddress(host)).toBe(address);
});

test("abuse 91: no notation of a local address can be reached", async () => {
  const hosts = ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.1", "[::ffff:127.0.0.1]"];
  const found = await Promise.all(hosts.map((host) => request(`http://${host}:${port}`)));
  expect(new Set(found)).toEqual(new Set(["refused EPRIVATE"]));
});

test("abuse 91: cloud metadata at public addresses can't be reached, in any notation or by name", async () => {
  for (const host of ["168.63.129.16", "0xa83f8110", "2822734096", "168.63.33040"]) {
    expect(await request(`http://${host}:${port}`)).toBe("refused EPRIVATE");
  }
  const resolve = () => Promise.resolve(["168.63.129.16"]);
  expect(await request(`http://wire.test:${port}`, { resolve })).toBe("refused EPRIVATE");
});

test("abuse 91: a name that resolves to a local address is refused, the site itself isn't", async () => {
  const origin = `http://somewhere.test:${port}`;
  expect(await request(origin, { resolve: here })).toBe("refused EPRIVATE");
  const allow = (host: string, at: number) => host === "somewhere.test" && at === port;
  expect(await request(origin, { resolve: here, allow })).toBe("answered 200");
});

test("abuse 91: of several addresses, only public ones are used", async () => {
  const connection = guardedConnect("mixed.test", 80, {
    allow: nobody,
    connectMs: 50,
    resolve: () => Promise.resolve(["10.0.0.1", "fd00::1"]),
  });
  await expect(connection).rejects.toMatchObject({ phase: "refused", code: "EPRIVATE" });
});

test("abuse 92: a name that is public first and local later is refused", async () => {
  // Public, and nobody's: nothing answers there.
  const responses = [["2a0e:ffff::1"], ["127.0.0.1"], ["::1"]];
  const dispatcher = dispatcherWith({
    connectMs: 200,
    resolve: () => Promise.resolve(responses.shift() ?? []),
  });
  const origin = `http://rebind.test:${port}`;
  expect(await ask(dispatcher, origin)).toMatch(/^connect /);
  expect(await ask(dispatcher, origin)).toBe("refused EPRIVATE");
  expect(await ask(dispatcher, origin)).toBe("refused EPRIVATE");
  await dispatcher.destroy();
});

test("abuse 92: the connection goes to the checked address", async () => {
  let resolutions = 0;
  const resolve = () => {
    resolutions += 1;
    // Were the name asked again while connecting, it would lead nowhere.
    return Promise.resolve(resolutions === 1 ? ["127.0.0.1"] : ["192.0.2.1"]);
  };
  const allow = () => true;
  const socket = await guardedConnect("pinned.test", port, { allow, connectMs: 2000, resolve });
  expect([socket.remoteAddress, resolutions]).toEqual(["127.0.0.1", 1]);
  socket.destroy();
});

test("ports of mail, shells, and databases are blocked", () => {
  expect([25, 22, 6667, 0, 70_000].map(isBadPort)).toEqual([true, true, true, true, true]);
  expect([80, 443, 3000, 8080].map(isBadPort)).toEqual([false, false, false, false]);
});

test("unknown names and unreachable hosts are reported with the reason", async () => {
  const fail = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
  const origin = "http://gone.test:1234";
  expect(await request(origin, { resolve: fail("ENOTFOUND") })).toBe("dns ENOTFOUND");
  expect(await request(origin, { resolve: fail("ESERVFAIL") })).toBe("dns ESERVFAIL");
  const never = () => new Promise<string[]>(() => {});
  expect(await request(origin, { resolve: never, connectMs: 30 })).toBe("dns ETIMEDOUT");
  const allow = () => true;
  expect(await request("http://127.0.0.1:1", { allow })).toBe("connect ECONNREFUSED");
  expect(await request(`https://127.0.0.1:${port}`, { allow })).toMatch(/^tls /);
});

test("a site that is reached another way may leave TLS to its proxy", async () => {
  const route = () => ({ host: "127.0.0.1", port });
  expect(await request("https://site.example", { route })).toBe("answered 200");
});
