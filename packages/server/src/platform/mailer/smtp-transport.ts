import { cleanText } from "../../kit/text.ts";
import type { Email, SmtpTransport } from "./email.ts";
import { DeliveryError } from "./delivery-error.ts";

/** How long a server may take to connect, to greet, and between two words, in ms. */
const stepTimeoutMs = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
/** How long it may take in all, in ms. */
const totalTimeoutMs = 30_000;

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
}

/** A server that turns away this recipient or this text for good; not us, our password or our sender. */
function isPermanentFailure({ command, responseCode = 0 }: SmtpError): boolean {
  return responseCode >= 500 && (command === "RCPT TO" || command === "DATA");
}

function deliveryError(error: SmtpError): DeliveryError {
  const late = error.name === "AbortError" || error.code === "ETIMEDOUT";
  const words = late ? "no answer in time" : cleanText(error.message).slice(0, 300);
  return new DeliveryError(`SMTP: ${words}`, { refused: isPermanentFailure(error), cause: error });
}

/** Hands a mail to an SMTP server (RFC 5321). Throws NotTaken. */
export async function sendBySmtp(
  route: SmtpTransport,
  from: string,
  email: Email,
  signal: AbortSignal,
): Promise<void> {
  const { host, port, secure, user, password } = route;
  // Loaded with the first mail: no process waits for it at its start.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    host,
    port,
    secure,
    ...stepTimeoutMs,
    socketCloseTimeout: 0,
    // Neither a file nor an address that a text names is read.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user === null ? {} : { auth: { user, pass: password ?? "" } }),
  });
  try {
    await transport.sendMail({
      from,
      ...email,
      // RFC 3834: a program that answers by itself does not answer this.
      headers: { "Auto-Submitted": "auto-generated" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(totalTimeoutMs)]),
    });
  } catch (error) {
    throw deliveryError(error as SmtpError);
  } finally {
    transport.close();
  }
}
