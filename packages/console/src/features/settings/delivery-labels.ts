import type { DeliveryView } from "../../../../server/src/features/settings/email/schema.ts";
import { formatCount } from "../../ui/format.ts";

const purposes: Readonly<Record<string, string>> = {
  verify: "Confirm an address",
  reset: "New password",
  known: "Sign-up with an existing address",
  notice: "Account change",
  invite: "Invitation",
  contact: "Message from a visitor",
  preview: "Preview ready",
  task: "Task",
  test: "Test",
};

/** The purpose of an email. */
export function purposeLabels({ purpose }: DeliveryView): string {
  return purposes[purpose] ?? purpose;
}

/** The delivery status of an email. */
export function statusLabels({ status, by, attempts }: DeliveryView): string {
  switch (status) {
    case "sent":
      return by === "http" ? "Sent by the provider" : "Sent by SMTP";
    case "logged":
      return "Log only";
    case "failed":
      return "Refused";
    case "sending":
      return "Sending";
    default:
      return attempts === 0
        ? "Waiting to be sent"
        : `Waiting after ${formatCount(attempts, "attempt")}`;
  }
}
