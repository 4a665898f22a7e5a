import { z } from "zod";
import { line, paragraphs } from "../../kit/fields.ts";
import { pageSchema, pageQuery } from "../../kit/envelope.ts";

/** A single-line field; browsers send no line break in it, only programs do (abuse 98). */
function field(max: number) {
  return line(max, {
    min: 1,
    error: "is required",
    controls: "can't contain line breaks or control characters",
    tooLong: `must be at most ${max} characters`,
  });
}

const emailAddress = z.email().max(254);

export const contactBody = z.strictObject({
  name: field(120),
  email: field(254).refine(
    (text) => emailAddress.safeParse(text).success,
    "must be an email address such as name@example.com",
  ),
  message: paragraphs(5000, {
    min: 1,
    error: "is required",
    tooLong: "must be at most 5000 characters",
  }),
  /** The honeypot, which people don't see. */
  website: paragraphs(2000).default(""),
});
export type ContactBody = z.infer<typeof contactBody>;

export const received = z.object({ received: z.literal(true) });

/** The delivery status of the notification; null if none was sent. */
export const emailStatuses = ["waiting", "sent", "logged", "failed"] as const;

export const messageView = z.object({
  id: z.number(),
  name: z.string(),
  email: z.string(),
  message: z.string(),
  at: z.string(),
  ip: z.string(),
  readAt: z.string().nullable(),
  emailStatus: z.enum(emailStatuses).nullable(),
});
export type MessageView = z.infer<typeof messageView>;

export const messageList = pageSchema(messageView).extend({
  /** The total number of unread messages. */
  unread: z.number(),
});
export type MessageList = z.infer<typeof messageList>;

export const messageQuery = z.strictObject({
  ...pageQuery,
  unread: z.stringbool().optional(),
  q: line(200).optional(),
});
export type MessageQuery = z.infer<typeof messageQuery>;

const ids = z.array(z.number().int().positive()).min(1).max(500);
export const readBody = z.strictObject({ ids, read: z.boolean() });
export const deleteBody = z.strictObject({ ids });
export const changed = z.object({ changed: z.number(), unread: z.number() });

export const exportQuery = z.strictObject({ format: z.enum(["csv", "json"]) });
