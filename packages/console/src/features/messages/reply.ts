import type { Message } from "./useMessages.ts";

/** Some email programs truncate longer addresses. */
const maxQuoteLength = 1000;

/** A mailto address for the reply with a quotation (RFC 6068). */
export function replyAddress(message: Message, ownerName: string): string {
  const text = message.message;
  const quoted =
    text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength).trimEnd()} …` : text;
  const lines = quoted.split("\n").map((line) => `> ${line}`.trimEnd());
  const body = `\r\n\r\n${message.name} wrote:\r\n${lines.join("\r\n")}\r\n`;
  const query = { subject: `Re: your message to ${ownerName}`, body };
  const fields = Object.entries(query).map(
    ([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed())}`,
  );
  return `mailto:${encodeURIComponent(message.email)}?${fields.join("&")}`;
}

/** The beginning of a message on one line. */
export function excerpt(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 160);
}
