import { z } from "zod";
import { line } from "../../../kit/fields.ts";
import { pageQuery } from "../../../kit/envelope.ts";
import { outboxStatuses } from "../../../platform/mailer/outbox-store.ts";

const emailAddress = z.email("isn't an email address").max(254);
const secret = line(500).min(1, "can't be empty");
const webAddress = z
  .url({ protocol: /^https?$/, error: "must be a web address" })
  .max(500)
  .refine((text) => {
    const address = URL.parse(text);
    return address !== null && `${address.username}${address.password}` === "";
  }, "must not contain a user name or password");
const hostName = line(253).regex(/^[a-z0-9.:[\]-]+$/i, "must be a host name");

export const emailProvider = z.enum(["resend", "postmark", "mailgun", "brevo", "generic"]);

const smtp = z.object({
  host: hostName,
  port: z.number().int().min(1).max(65_535),
  secure: z.boolean(),
  user: line(254).nullable(),
});

/** How email is sent and where the owner's goes, without secrets. */
const emailFields = {
  /** The address of the owner's own email. */
  to: emailAddress.nullable(),
  /** An address, or `Name <address>`. */
  from: line(254).refine(
    (text) => z.email().safeParse(/<([^<>]+)>$/.exec(text)?.[1] ?? text).success,
    "must be an address, or Name <address>",
  ),
  provider: emailProvider.nullable(),
  providerUrl: webAddress.nullable(),
  providerDomain: hostName.nullable(),
};

export const emailView = z.object({
  ...emailFields,
  from: z.string().nullable(),
  providerKeySet: z.boolean(),
  smtp: smtp.extend({ passwordSet: z.boolean() }).nullable(),
});
export type EmailView = z.infer<typeof emailView>;

/** A missing secret stays unchanged as long as its destination does. */
export const emailBody = z
  .strictObject({
    ...emailFields,
    providerUrl: webAddress.nullable().default(null),
    providerDomain: hostName.nullable().default(null),
    providerKey: secret.optional(),
    smtp: z.strictObject({ ...smtp.shape, password: secret.optional() }).nullable(),
  })
  .refine(({ provider, providerUrl }) => provider !== "generic" || providerUrl !== null, {
    message: "is required",
    path: ["providerUrl"],
  })
  .refine(({ provider, providerDomain }) => provider !== "mailgun" || providerDomain !== null, {
    message: "is required",
    path: ["providerDomain"],
  });
export type EmailBody = z.infer<typeof emailBody>;

/** The stored settings, encrypted as a whole. */
export const storedEmail = z.object({
  ...emailFields,
  from: z.string(),
  providerKey: z.string().nullable(),
  smtp: smtp.extend({ password: z.string().nullable() }).nullable(),
});
export type StoredEmail = z.infer<typeof storedEmail>;

export const emailTest = z.object({
  by: z.enum(["http", "smtp", "log"]),
  failures: z.array(z.string()),
});

/** An email of the last 30 days, without its content. */
export const deliveryView = z.object({
  id: z.number(),
  purpose: z.string(),
  to: z.string(),
  subject: z.string(),
  status: z.enum(outboxStatuses),
  /** What accepted it, or that it was only logged; null before that. */
  by: z.enum(["http", "smtp", "log"]).nullable(),
  attempts: z.number(),
  failures: z.array(z.string()),
  createdAt: z.string(),
  /** The time of the next attempt; null if there is none. */
  dueAt: z.string().nullable(),
  sentAt: z.string().nullable(),
  /** Whether it can be sent again: its content is kept for a week. */
  canRetry: z.boolean(),
});
export type DeliveryView = z.infer<typeof deliveryView>;

export const deliveriesQuery = z.strictObject(pageQuery);
export const retryBody = z.strictObject({ id: z.number().int().positive() });
