import { cleanText } from "../../kit/text.ts";
import { isLoopbackName } from "../http/origin.ts";
import type { Email, SmtpTransport } from "./email.ts";
import { DeliveryError } from "./delivery-error.ts";

/** Time limits for connecting, greeting, and each response, in ms. */
const stepTimeoutMs = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
/** Time limit of the whole delivery, in ms. */
const totalTimeoutMs = 30_000;

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
}

/**
 * Whether the server permanently refuses this recipient or this text, rather than us, our password,
 * or our sender.
 */
function isPermanentFailure({ command, responseCode = 0 }: SmtpError): boolean {
  return responseCode >= 500 && (command === "RCPT TO" || command === "DATA");
}

function deliveryError(error: SmtpError): DeliveryError {
  const late = error.name === "AbortError" || error.code === "ETIMEDOUT";
  const words = late ? "no answer in time" : cleanText(error.message).slice(0, 300);
  return new DeliveryError(`SMTP: ${words}`, { refused: isPermanentFailure(error), cause: error });
}

/** Sends an email to an SMTP server (RFC 5321). Throws DeliveryError. */
export async function sendBySmtp(
  route: SmtpTransport,
  from: string,
  email: Email,
  signal: AbortSignal,
): Promise<void> {
  const { host, port, secure, user, password } = route;
  // Loaded with the first email, so that processes start faster.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    host,
    port,
    secure,
    // Otherwise, a machine in between can leave out STARTTLS and read the password and the links.
    requireTLS: !secure && user !== null && !isLoopbackName(host),
    ...stepTimeoutMs,
    socketCloseTimeout: 0,
    // No file or address named in a text is read.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user === null ? {} : { auth: { user, pass: password ?? "" } }),
  });
  try {
    await transport.sendMail({
      from,
      ...email,
      // RFC 3834: automatic responders don't answer this.
      headers: { "Auto-Submitted": "auto-generated" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(totalTimeoutMs)]),
    });
  } catch (error) {
    throw deliveryError(error as SmtpError);
  } finally {
    transport.close();
  }
}
