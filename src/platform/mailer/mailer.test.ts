import { createServer, type IncomingHttpHeaders } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { startSmtp } from "../../../test/support/smtp.ts";
import { createLog } from "../log.ts";
import type { HttpRoute, MailRoutes } from "./mail.ts";
import { makeMailer } from "./mailer.ts";

const mail = { to: "owner@example.com", subject: "A preview waits", text: "Line one\nLine two" };
const from = "Vitrine <site@example.com>";
const cleanups: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

function mailerOf(routes: MailRoutes | null) {
  const lines: string[] = [];
  const destination = new PassThrough().on("data", (chunk) => lines.push(String(chunk)));
  const log = createLog({ level: "info", name: "test", destination });
  return { mailer: makeMailer({ routes: async () => routes, log }), logged: () => lines.join("") };
}

interface Seen {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

async function startProvider(status = 200) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const answer = async () => {
      const body = await readText(request);
      seen.push({ path: request.url ?? "", headers: request.headers, body });
      response.writeHead(status, { location: "/elsewhere" }).end("{}");
    };
    void answer();
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

describe("by SMTP", () => {
  it("arrives with its sender, subject and text", async () => {
    const { server, smtp } = await smtpRoute({ user: { name: "me", password: "geheim" } });
    const delivery = await mailerOf({ from, http: null, smtp }).mailer.send(mail);
    expect(delivery).toEqual({ by: "smtp", failures: [] });
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]).toMatchObject({ from: "site@example.com", to: [mail.to] });
    expect(server.mails[0]?.source).toMatch(/^Subject: A preview waits\r$/m);
    expect(server.mails[0]?.source).toContain("Line one\r\nLine two");
  });

  it("abuse 98: line breaks in a subject make no header, and no recipient but one is taken", async () => {
    const { server, smtp } = await smtpRoute();
    const { mailer } = mailerOf({ from, http: null, smtp });
    await mailer.send({ ...mail, subject: "Hello\r\nBcc: thief@example.com\r\n\r\nbody" });
    expect(server.mails[0]?.to).toEqual([mail.to]);
    expect(server.mails[0]?.source).not.toMatch(/^Bcc:/im);
    const two = mailer.send({ ...mail, to: "a@example.com, b@example.com" });
    await expect(two).rejects.toMatchObject({ code: "validation_failed" });
    const broken = mailer.send({ ...mail, replyTo: "a@example.com\r\nBcc: b@example.com" });
    await expect(broken).rejects.toMatchObject({ fields: { replyTo: "is not a mail address" } });
  });
});

describe("by a provider's HTTP API", () => {
  const shapes: [HttpRoute["provider"], (seen: Seen) => void][] = [
    [
      "resend",
      ({ headers, body }) => {
        expect(headers.authorization).toBe("Bearer k-1");
        expect(JSON.parse(body)).toMatchObject({ from, to: [mail.to], subject: mail.subject });
      },
    ],
    [
      "postmark",
      ({ headers, body }) => {
        expect(headers["x-postmark-server-token"]).toBe("k-1");
        expect(JSON.parse(body)).toMatchObject({ From: from, To: mail.to, TextBody: mail.text });
      },
    ],
    [
      "mailgun",
      ({ path, headers, body }) => {
        expect(path).toBe("/v3/mg.example.com/messages");
        expect(headers.authorization).toBe(`Basic ${btoa("api:k-1")}`);
        expect(new URLSearchParams(body).get("text")).toBe(mail.text);
      },
    ],
    [
      "brevo",
      ({ headers, body }) => {
        expect(headers["api-key"]).toBe("k-1");
        const sender = { email: "site@example.com", name: "Vitrine" };
        expect(JSON.parse(body)).toMatchObject({ sender, to: [{ email: mail.to }] });
      },
    ],
    [
      "generic",
      ({ headers, body }) => {
        expect(headers.authorization).toBe("Bearer k-1");
        expect(JSON.parse(body)).toEqual({ from, ...mail });
      },
    ],
  ];

  it.each(shapes)("%s gets what it asks for", async (provider, check) => {
    const { url, seen } = await startProvider();
    const http = { provider, key: "k-1", url, domain: "mg.example.com" };
    const delivery = await mailerOf({ from, http, smtp: null }).mailer.send(mail);
    expect(delivery.by).toBe("http");
    expect(seen).toHaveLength(1);
    if (seen[0]) check(seen[0]);
  });

  it.each([500, 401, 302])(
    "that answers %i leaves the mail to SMTP, and says so",
    async (status) => {
      const { url, seen } = await startProvider(status);
      const { server, smtp } = await smtpRoute();
      const http = { provider: "resend" as const, key: "k-secret", url, domain: null };
      const { mailer, logged } = mailerOf({ from, http, smtp });
      const delivery = await mailer.send(mail);
      expect(delivery.by).toBe("smtp");
      expect(delivery.failures).toHaveLength(1);
      expect(server.mails).toHaveLength(1);
      expect(seen).toHaveLength(1);
      expect(logged() + delivery.failures.join("")).not.toContain("k-secret");
    },
  );
});

describe("when nobody takes it", () => {
  it("is logged, with why", async () => {
    const { smtp } = await smtpRoute({ refuse: true });
    const { mailer, logged } = mailerOf({ from, http: null, smtp });
    const delivery = await mailer.send(mail);
    expect(delivery.by).toBe("log");
    expect(delivery.failures[0]).toMatch(/^SMTP: /);
    expect(logged()).toContain("A preview waits");
  });

  it("is logged while nothing is set", async () => {
    const { mailer, logged } = mailerOf(null);
    expect(await mailer.send(mail)).toEqual({ by: "log", failures: [] });
    expect(logged()).toContain("owner@example.com");
  });
});
