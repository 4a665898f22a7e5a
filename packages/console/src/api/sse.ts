/** A message of a text/event-stream with unparsed data. */
export interface SseMessage {
  id: string;
  type: string;
  data: string;
}

/**
 * A parser for text/event-stream (HTML Living Standard §9.2.6), fed with decoded text in arbitrary
 * chunks. Messages are passed on only after their empty line, so never incomplete.
 */
export function makeSseParser(onMessage: (message: SseMessage) => void): {
  push(text: string): void;
} {
  let rest = "";
  let lastId = "";
  let type = "";
  let data: string[] = [];

  function line(text: string): void {
    if (text === "") {
      if (data.length > 0)
        onMessage({ id: lastId, type: type === "" ? "message" : type, data: data.join("\n") });
      type = "";
      data = [];
      return;
    }
    const colon = text.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? text : text.slice(0, colon);
    const raw = colon < 0 ? "" : text.slice(colon + 1);
    const value = raw.startsWith(" ") ? raw.slice(1) : raw;
    if (field === "data") data.push(value);
    else if (field === "event") type = value;
    else if (field === "id" && !value.includes("\0")) lastId = value;
  }

  return {
    push(text) {
      rest += text;
      // A carriage return at the end of a chunk may be half of CRLF, so wait for the next one.
      const lines = rest.split(/\r\n|\n|\r(?=[^])/);
      rest = lines.pop() ?? "";
      for (const entry of lines) line(entry);
    },
  };
}
