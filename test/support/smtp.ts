import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { SMTPServer } from "smtp-server";

export interface TestSmtp extends AsyncDisposable {
  readonly port: number;
  /**
   * The code with which it rejects mail from now on; null accepts mail, "never" doesn't respond.
   */
  answers: number | "never" | null;
  /** The messages it has accepted, as they arrived: headers, an empty line, the text. */
  readonly emails: { from: string; to: string[]; source: string }[];
}

/**
 * A real SMTP server on the loopback address that accepts everything, or only what this user sends.
 */
export async function startSmtp(
  options: { user?: { name: string; password: string }; answers?: TestSmtp["answers"] } = {},
): Promise<TestSmtp> {
  const { user } = options;
  const emails: TestSmtp["emails"] = [];
  const server = new SMTPServer({
    authOptional: user === undefined,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    // Otherwise, it greets only after a reverse lookup of 127.0.0.1.
    disableReverseLookup: true,
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
        const { answers: responses } = smtp;
        const isTaken = responses === null || responses === "never";
        if (isTaken) emails.push({ from, to: rcptTo.map(({ address }) => address), source });
        if (responses === "never") return;
        const refusal = Object.assign(new Error("not today"), { responseCode: responses });
        done(isTaken ? null : refusal);
      });
    },
  });
  server.on("error", () => {});
  const sockets = new Set<Socket>();
  server.server.on("connection", (socket: Socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const smtp: TestSmtp = {
    port: (server.server.address() as AddressInfo).port,
    answers: options.answers ?? null,
    emails,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return smtp;
}
