import { expect, test } from "vitest";

import { excerpt, replyAddress } from "./reply.ts";
import type { Message } from "./useMessages.ts";

const message: Message = {
  id: 1,
  name: "Ada & Co",
  email: "ada+x@example.org",
  message: "Hello?\n\nbcc=me&body=x",
  at: "2026-01-15T12:00:00.000Z",
  ip: "203.0.113.7",
  readAt: null,
  emailStatus: "sent",
};

test("a reply goes only to the sender, with its subject", () => {
  const address = new URL(replyAddress(message, "Mara"));
  expect(decodeURIComponent(address.pathname)).toBe("ada+x@example.org");
  expect([...address.searchParams.keys()]).toEqual(["subject", "body"]);
  expect(address.searchParams.get("subject")).toBe("Re: your message to Mara");
  expect(address.searchParams.get("body")).toBe(
    "\r\n\r\nAda & Co wrote:\r\n> Hello?\r\n>\r\n> bcc=me&body=x\r\n",
  );
});

test("the mailto link stays short and valid, whatever the message contains", () => {
  const long = replyAddress(
    { ...message, message: `${"x".repeat(999)}😀${"y".repeat(4000)}` },
    "M",
  );
  expect(long.length).toBeLessThan(2000);
  expect(() => decodeURIComponent(long)).not.toThrow();
  expect(excerpt("a\n\n  b")).toBe("a b");
});
