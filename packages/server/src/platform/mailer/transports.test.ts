import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { readMessage } from "../../../../../test/support/message.ts";
import { startSmtp } from "../../../../../test/support/smtp.ts";
import { makeOutboundClient } from "../../features/accounts/providers/outbound.ts";
import { languageModel } from "../../features/agent/model.ts";
import { checkedFetch, makeCheckedFetch } from "../checked-fetch.ts";
import { createLog } from "../log.ts";
import type { HttpTransport, Email, EmailTransports } from "./email.ts";
import { attemptDelivery } from "./transports.ts";

const email: Email = {
  to: "owner@example.com",
  subject: "A preview waits",
  text: "Line one\nLine two",
  html: "<p>Line one<br />Line two</p>",
  replyTo: "visitor@example.net",
  messageId: "<m-1@me.example>",
};
const from = "Vitrine <site@example.com>";
const cleanups: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

function trying(routes: EmailTransports | null, signal = new AbortController().signal) {
  const lines: string[] = [];
  const destination = new PassThrough().on("data", (chunk) => lines.push(String(chunk)));
  const log = createLog({ level: "info", name: "test", destination });
  const options = { transports: async () => routes, log, fetch };
  return { tried: attemptDelivery(options, email, signal), logged: () => lines.join("") };
}

interface Seen {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

async function startProvider(providerResponse: Answer | "never" = {}) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const reply = async () => {
      const body = await readText(request);
      seen.push({ path: request.url ?? "", headers: request.headers, body });
      if (providerResponse === "never") return;
      const { status = 200, headers, body: responseBody = "{}" } = providerResponse;
      response.writeHead(status, headers).end(responseBody);
    };
    void reply();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(async () => {
    server.closeAllConnections();
    await once(server.close(), "close");
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function smtpRoute(options: Parameters<typeof startSmtp>[0] = {}) {
  const server = await startSmtp(options);
  cleanups.push(() => server[Symbol.asyncDispose]());
  const { name = null, password = null } = options.user ?? {};
  const smtp = { host: "127.0.0.1", port: server.port, secure: false, user: name, password };
  return { server, smtp };
}

const resend = (url: string) => ({
  provider: "resend" as const,
  key: "k-secret",
  url,
  domain: null,
});

describe("abuse 252: key services of clouds", () => {
  it.each(["169.254.169.254", "[::ffff:a9fe:a9fe]", "2852039166", "[fd00:ec2::254]"])(
    "%s gets no request from models, email, or sign-in",
    async (host) => {
      const refused = { code: "bad_request" };
      await expect(checkedFetch(`http://${host}/`)).rejects.toMatchObject(refused);
      const outbound = makeOutboundClient({});
      const asked = outbound.send("Keys", (fetch) => fetch(`http://${host}/`));
      await expect(asked).rejects.toMatchObject(refused);
      const config = { provider: "openai-compatible", id: "m", baseUrl: `http://${host}` } as const;
      const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "x" }] }];
      const model = languageModel(config, null);
      await expect(model.doGenerate({ prompt })).rejects.toMatchObject(refused);
    },
  );

  it("a name is refused if its address is forbidden; this machine is allowed", async () => {
    const { url, seen } = await startProvider();
    const named = url.replace("127.0.0.1", "localhost");
    const refusing = makeCheckedFetch((address) => !address.startsWith("192.0.2."));
    await expect(refusing(named)).rejects.toMatchObject({ cause: { code: "bad_request" } });
    expect(seen).toEqual([]);
    for (const address of [url, named, url.replace("127.0.0.1", "0.0.0.0")]) {
      const response = await checkedFetch(address, { method: "POST", body: "{}" });
      expect([response.status, await response.text()]).toEqual([200, "{}"]);
    }
  });
});

describe("by SMTP", () => {
  it("arrives as text and HTML, with what its head is to say", async () => {
    const { server, smtp } = await smtpRoute({ user: { name: "me", password: "geheim" } });
    expect(await trying({ from, http: null, smtp }).tried).toMatchObject({
      transport: "smtp",
      failures: [],
    });
    expect(server.emails).toHaveLength(1);
    expect(server.emails[0]).toMatchObject({ from: "site@example.com", to: [email.to] });
    const read = readMessage(server.emails[0]?.source ?? "");
    expect(read).toMatchObject({ subject: email.subject, text: email.text, html: email.html });
    expect(read.headers["content-type"]).toContain("multipart/alternative");
    expect(read.headers).toMatchObject({
      from: "Vitrine <site@example.com>",
      to: email.to,
      "reply-to": email.replyTo,
      "message-id": email.messageId,
      "auto-submitted": "auto-generated",
    });
  });

  it.each([
    ["550 is this mail's own fault", 550, true],
    ["451 passes", 451, false],
  ])("%s", async (_, responses, refused) => {
    const { smtp } = await smtpRoute({ answers: responses });
    const { transport, failures, ...rest } = await trying({ from, http: null, smtp }).tried;
    expect({ by: transport, refused: rest.isPermanent }).toEqual({ by: null, refused });
    expect(failures).toEqual([expect.stringMatching(new RegExp(`^SMTP: .*${responses}`))]);
  });

  it("a wrong password is not the mail's fault, and is told to nobody", async () => {
    const { server, smtp } = await smtpRoute({ user: { name: "me", password: "geheim" } });
    const wrong = { ...smtp, password: "p-secret" };
    const { tried, logged } = trying({ from, http: null, smtp: wrong });
    const { transport, isPermanent, failures } = await tried;
    expect({ by: transport, refused: isPermanent }).toEqual({ by: null, refused: false });
    expect(failures.join("") + logged()).not.toContain("p-secret");
    expect(server.emails).toEqual([]);
  });

  it("abuse 246: without STARTTLS, neither password nor text goes to another machine", async () => {
    const { server, smtp } = await smtpRoute({ user: { name: "me", password: "p-secret" } });
    // Leads to this machine, too, but isn't a loopback address.
    const other = { ...smtp, host: "0.0.0.0" };
    const { transport, isPermanent, failures } = await trying({ from, http: null, smtp: other })
      .tried;
    expect({ transport, isPermanent }).toEqual({ transport: null, isPermanent: false });
    expect(failures).toEqual([expect.stringMatching(/^SMTP: .*STARTTLS/)]);
    expect(server.emails).toEqual([]);
    const relay = { ...other, user: null, password: null };
    const open = await smtpRoute();
    const { tried } = trying({ from, http: null, smtp: { ...relay, port: open.smtp.port } });
    expect(await tried).toMatchObject({ transport: "smtp" });
  });

  it("a server that never answers is left when told to stop", async () => {
    const { server, smtp } = await smtpRoute({ answers: "never" });
    const stop = new AbortController();
    const { tried } = trying({ from, http: null, smtp }, stop.signal);
    await eventually(() => expect(server.emails).toHaveLength(1));
    stop.abort();
    expect(await tried).toMatchObject({ transport: null, failures: ["SMTP: no answer in time"] });
  });
});

describe("by a provider's HTTP API", () => {
  const onceKey = "m-1@me.example";
  const shapes: [HttpTransport["provider"], (seen: Seen) => void][] = [
    [
      "resend",
      ({ headers, body }) => {
        expect(headers).toMatchObject({ authorization: "Bearer k-1", "idempotency-key": onceKey });
        expect(JSON.parse(body)).toEqual({
          from,
          to: [email.to],
          subject: email.subject,
          text: email.text,
          html: email.html,
          reply_to: email.replyTo,
          headers: { "Message-ID": email.messageId, "Auto-Submitted": "auto-generated" },
        });
      },
    ],
    [
      "postmark",
      ({ headers, body }) => {
        expect(headers["x-postmark-server-token"]).toBe("k-1");
        expect(JSON.parse(body)).toMatchObject({
          From: from,
          To: email.to,
          Subject: email.subject,
          TextBody: email.text,
          HtmlBody: email.html,
          ReplyTo: email.replyTo,
          Headers: expect.arrayContaining([
            { Name: "Message-ID", Value: email.messageId },
            { Name: "X-PM-KeepID", Value: "true" },
          ]),
          TrackLinks: "None",
        });
      },
    ],
    [
      "mailgun",
      ({ path, headers, body }) => {
        expect(path).toBe("/v3/mg.example.com/messages");
        expect(headers.authorization).toBe(`Basic ${btoa("api:k-1")}`);
        expect(Object.fromEntries(new URLSearchParams(body))).toMatchObject({
          from,
          to: email.to,
          text: email.text,
          html: email.html,
          "h:Reply-To": email.replyTo,
          "h:Message-ID": email.messageId,
          "o:tracking": "no",
        });
      },
    ],
    [
      "brevo",
      ({ headers, body }) => {
        expect(headers["api-key"]).toBe("k-1");
        expect(JSON.parse(body)).toMatchObject({
          sender: { email: "site@example.com", name: "Vitrine" },
          to: [{ email: email.to }],
          textContent: email.text,
          htmlContent: email.html,
          replyTo: { email: email.replyTo },
          headers: { "Message-ID": email.messageId, idempotencyKey: onceKey },
        });
      },
    ],
    [
      "generic",
      ({ headers, body }) => {
        expect(headers.authorization).toBe("Bearer k-1");
        expect(JSON.parse(body)).toEqual({ from, ...email });
      },
    ],
  ];

  it.each(shapes)("%s gets what it asks for", async (provider, check) => {
    const { url, seen } = await startProvider();
    const http = { provider, key: "k-1", url, domain: "mg.example.com" };
    expect(await trying({ from, http, smtp: null }).tried).toMatchObject({ transport: "http" });
    expect(seen).toHaveLength(1);
    if (seen[0]) check(seen[0]);
  });

  it.each([500, 401, 302])(
    "that answers %i leaves the mail to SMTP, and says so",
    async (status) => {
      const { url, seen } = await startProvider({ status, headers: { location: "/elsewhere" } });
      const { server, smtp } = await smtpRoute();
      const { tried, logged } = trying({ from, http: resend(url), smtp });
      const { transport, failures } = await tried;
      expect(transport).toBe("smtp");
      expect(failures).toHaveLength(1);
      expect(server.emails).toHaveLength(1);
      expect(seen).toHaveLength(1);
      expect(logged() + failures.join("")).not.toContain("k-secret");
    },
  );

  it("that never answers leaves the mail to SMTP, and both together take less than a minute", async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const limitsMs: number[] = [];
    const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      limitsMs.push(ms);
      // A hundredth of the time, so that nobody waits for it here.
      return timeout(ms / 100);
    });
    cleanups.push(async () => spy.mockRestore());
    const { url, seen } = await startProvider("never");
    const { server, smtp } = await smtpRoute({ answers: "never" });
    expect(await trying({ from, http: resend(url), smtp }).tried).toMatchObject({
      transport: null,
      isPermanent: false,
      failures: ["resend: no answer in time", "SMTP: no answer in time"],
    });
    expect([seen.length, server.emails.length]).toEqual([1, 1]);
    expect(limitsMs).toHaveLength(2);
    // Waiting mail is looked for every five seconds.
    expect(limitsMs.reduce((sum, ms) => sum + ms, 5000)).toBeLessThanOrEqual(60_000);
  });

  it.each([
    [422, true],
    [400, true],
    [401, false],
    [403, false],
    [429, false],
    [503, false],
  ])("%i: refused for good is %s", async (status, refused) => {
    const { url } = await startProvider({ status });
    expect(await trying({ from, http: resend(url), smtp: null }).tried).toMatchObject({
      transport: null,
      isPermanent: refused,
      failures: [`resend answered ${status}`],
    });
  });

  it("says why, without the key, and waits as long as it is asked to", async () => {
    const body = JSON.stringify({
      message: `Key k-secret has sent too much.\u0007${"x".repeat(999)}`,
    });
    const { url } = await startProvider({ status: 429, headers: { "retry-after": "90" }, body });
    const { tried } = trying({ from, http: resend(url), smtp: null });
    const { retryAfterMs, failures } = await tried;
    expect(retryAfterMs).toBe(90_000);
    expect(failures[0]).toMatch(/^resend answered 429: Key … has sent too much\.x+$/);
    expect(failures[0]?.length).toBeLessThan(300);
  });

  it("is one that refuses for good only when the server does so too", async () => {
    const { url } = await startProvider({ status: 422 });
    const { server, smtp } = await smtpRoute({ answers: 451 });
    const routes = { from, http: resend(url), smtp };
    expect(await trying(routes).tried).toMatchObject({ transport: null, isPermanent: false });
    server.answers = 550;
    expect(await trying(routes).tried).toMatchObject({ transport: null, isPermanent: true });
  });

  it("that is not there at all is named with why", async () => {
    const { url } = await startProvider();
    for (const cleanup of cleanups.splice(0)) await cleanup();
    const { failures } = await trying({ from, http: resend(url), smtp: null }).tried;
    expect(failures).toEqual([expect.stringMatching(/^resend: .*ECONNREFUSED/)]);
  });
});

it("tells when nothing is set, and when it can't be read what is", async () => {
  expect(await trying(null).tried).toMatchObject({
    transport: null,
    hasNoTransport: true,
    failures: [],
  });
  const log = createLog({ level: "silent", name: "test", destination: new PassThrough() });
  const routes = () => Promise.reject(new Error("the key is gone"));
  const { signal } = new AbortController();
  const tried = await attemptDelivery({ transports: routes, log, fetch }, email, signal);
  expect(tried).toMatchObject({ transport: null, hasNoTransport: false, isPermanent: false });
});
