import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import {
  findEmail,
  listEmails,
  type OutboxRow,
  retryEmail,
} from "../../../platform/mailer/outbox-store.ts";
import type { DeliveryView } from "./schema.ts";

function viewOf(row: OutboxRow): DeliveryView {
  const { id, purpose, recipient, subject, status, attempts } = row;
  return {
    id,
    purpose,
    to: recipient,
    subject,
    status,
    by: row.sent_by,
    attempts,
    failures: JSON.parse(row.failures) as string[],
    createdAt: row.created_at,
    dueAt: status === "waiting" ? row.due_at : null,
    sentAt: row.sent_at,
    canRetry: (status === "logged" || status === "failed") && row.ciphertext !== null,
  };
}

/** The emails of the last 30 days, newest first, without their content. */
export async function listDeliveries(db: Db, query: { page: number; perPage: number }) {
  const { rows, total } = await listEmails(db, query);
  return { items: rows.map(viewOf), total, ...query };
}

/**
 * Retries an undelivered email. Throws `not_found` if it is no longer known, `invalid_state` if it
 * was sent, is being sent, or its content is erased.
 */
export async function retryDelivery(
  { db, clock }: { db: Db; clock: Clock },
  id: number,
): Promise<DeliveryView> {
  const isWaiting = await retryEmail(db, id, { now: clock.now() });
  const row = await findEmail(db, id);
  if (row === null) throw new AppError("not_found", "This email is no longer on record.");
  if (isWaiting) return viewOf(row);
  const message =
    row.status === "logged" || row.status === "failed"
      ? "The content of this email was erased after a week, so it can't be sent again."
      : "This email has been sent, or is about to be.";
  throw new AppError("invalid_state", message);
}
