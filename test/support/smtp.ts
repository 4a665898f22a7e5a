import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export interface TestSmtp extends AsyncDisposable {
  readonly port: number;
  /** What it has taken, as it came: headers, an empty line, the text. */
  readonly mails: { from: string; to: string[]; source: string }[];
}

/** A real SMTP server on the loopback address that takes everything, or what this user sends. */
export async function startSmtp(
  options: { user?: { name: string; password: string }; refuse?: boolean } = {},
): Promise<TestSmtp> {
  const { user, refuse = false } = options;
  const mails: TestSmtp["mails"] = [];
  const server = new SMTPServer({
    authOptional: user === undefined,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    logger: false,
    onAuth({ username, password }, _session, done) {
      const known = username === user?.name && password === user?.password;
      if (known) done(null, { user: username });
      else done(new Error("unknown"));
    },
    onData(stream, session, done) {
      let source = "";
      stream.setEncoding("utf8").on("data", (chunk) => (source += String(chunk)));
      stream.once("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? "" : mailFrom.address;
        if (!refuse) mails.push({ from, to: rcptTo.map(({ address }) => address), source });
        done(refuse ? new Error("not today") : null);
      });
    },
  });
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
