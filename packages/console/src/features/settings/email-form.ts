import type { EmailView } from "../../../../server/src/features/settings/email/schema.ts";
import type { FieldErrors } from "../forms/useForm.ts";

export type { EmailView };

export const emailProviders = [
  { value: "", label: "None" },
  { value: "resend", label: "Resend" },
  { value: "postmark", label: "Postmark" },
  { value: "mailgun", label: "Mailgun" },
  { value: "brevo", label: "Brevo" },
  { value: "generic", label: "Another provider" },
] as const;
type ProviderValue = (typeof emailProviders)[number]["value"];

/** The form as typed. */
export interface EmailForm {
  to: string;
  from: string;
  provider: ProviderValue;
  providerUrl: string;
  providerDomain: string;
  providerKey: string;
  host: string;
  port: string;
  secure: boolean;
  user: string;
  password: string;
}

/** The server's names of the fields. */
export const names = [
  "to",
  "from",
  "provider",
  "providerUrl",
  "providerDomain",
  "providerKey",
  "smtp.host",
  "smtp.port",
  "smtp.user",
  "smtp.password",
];

export function formOf(email: EmailView): EmailForm {
  return {
    to: email.to ?? "",
    from: email.from ?? "",
    provider: email.provider ?? "",
    providerUrl: email.providerUrl ?? "",
    providerDomain: email.providerDomain ?? "",
    providerKey: "",
    host: email.smtp?.host ?? "",
    port: String(email.smtp?.port ?? 587),
    secure: email.smtp?.secure ?? false,
    user: email.smtp?.user ?? "",
    password: "",
  };
}

export function missing(form: EmailForm): FieldErrors {
  const port = Number(form.port);
  return {
    ...(form.from.trim() === "" && { from: "Enter the sender’s address." }),
    ...(form.provider === "generic" &&
      form.providerUrl.trim() === "" && { providerUrl: "Enter the provider’s address." }),
    ...(form.provider === "mailgun" &&
      form.providerDomain.trim() === "" && {
        providerDomain: "Enter your domain at the provider.",
      }),
    ...(form.host.trim() !== "" &&
      !(Number.isInteger(port) && port > 0 && port < 65_536) && {
        "smtp.port": "Enter a number from 1 to 65535.",
      }),
  };
}

const textOrNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** The request; a secret that isn't entered stays unchanged. */
export function bodyOf(form: EmailForm): Record<string, unknown> {
  const host = textOrNull(form.host);
  return {
    to: textOrNull(form.to),
    from: form.from.trim(),
    provider: form.provider === "" ? null : form.provider,
    providerUrl: form.provider === "generic" ? textOrNull(form.providerUrl) : null,
    providerDomain: form.provider === "mailgun" ? textOrNull(form.providerDomain) : null,
    ...(form.provider !== "" && form.providerKey !== "" && { providerKey: form.providerKey }),
    smtp: host && {
      host,
      port: Number(form.port),
      secure: form.secure,
      user: textOrNull(form.user),
      ...(form.password !== "" && { password: form.password }),
    },
  };
}
