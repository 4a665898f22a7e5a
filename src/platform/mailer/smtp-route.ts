import { createTransport } from "nodemailer";
import type { Mail, SmtpRoute } from "./mail.ts";

/** How long a server may take to connect, to greet, and between two words, in ms. */
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/** Hands a mail to an SMTP server (RFC 5321). Throws when it isn't taken. */
export async function sendBySmtp(route: SmtpRoute, from: string, mail: Mail): Promise<void> {
  const { host, port, secure, user, password } = route;
  const transport = createTransport({
    host,
    port,
    secure,
    ...patience,
    // Neither a file nor an address that a text names is read.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user === null ? {} : { auth: { user, pass: password ?? "" } }),
  });
  try {
    await transport.sendMail({ from, ...mail });
  } finally {
    transport.close();
  }
}
