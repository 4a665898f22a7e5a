import { AppError } from "../../kit/errors.ts";
import { deliverEmail, type DeliverEmailOptions, type DeliveryResult } from "./deliver-email.ts";
import { makeConcurrentRunner } from "./concurrency.ts";
import {
  claimReservedEmail,
  claimEmail,
  deleteOldEmails,
  listDueEmails,
  type OutboxRow,
} from "./outbox-store.ts";

/** Sends the outbox's email for the lifetime of the process. */
export interface DeliveryWorker {
  /** Sends due emails and waits until all are settled. Never throws. */
  sendDue(): Promise<void>;
  /** Sends due emails in the background. */
  wake(): void;
  /** Starts checking regularly, also for emails left by other processes. */
  start(): void;
  /**
   * Sends an email that was reserved for this and returns the result; it isn't retried. Throws
   * `conflict` if the reservation has expired.
   */
  sendReserved(id: number): Promise<DeliveryResult>;
  /** Starts nothing more, waits a while for running deliveries, and releases the rest. */
  close(): Promise<void>;
}

export interface DeliveryWorkerOptions extends DeliverEmailOptions {
  /** How often to check for due emails, in ms; defaults to 5 s. */
  everyMs?: number;
  /** How long `close` waits for running deliveries, in ms; defaults to 2 s. */
  graceMs?: number;
}

/** How many emails are sent at once. */
const maxConcurrent = 4;
/**
 * How long an email stays claimed, in ms: longer than an attempt (15 s for a provider, 30 s for a
 * server).
 */
export const leaseMs = 120_000;
const clearEveryMs = 60 * 60 * 1000;

/**
 * Several processes may have one each: each email is claimed by one of them, and if that one dies,
 * the claim expires. So an email is sent twice only if its process dies between sending it and
 * storing that; both have the same Message-ID.
 */
export function makeDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { db, clock, log, everyMs = 5000, graceMs = 2000 } = options;
  const stop = new AbortController();
  const { signal } = stop;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let clearedAt = Number.NEGATIVE_INFINITY;
  const claimed = () => ({ now: clock.now(), leaseMs });

  async function next(): Promise<OutboxRow | null> {
    for (;;) {
      const ids = await listDueEmails(db, claimed(), maxConcurrent);
      for (const id of ids) {
        const row = await claimEmail(db, id, claimed());
        if (row) return row;
      }
      if (ids.length < maxConcurrent) return null;
    }
  }

  const runner = makeConcurrentRunner<OutboxRow>({
    maxConcurrent: maxConcurrent,
    next,
    run: (row) => deliverEmail(options, row, { last: false, signal }),
    onError: (error) => log.error({ err: error }, "email can't be sent now"),
  });

  async function clear(): Promise<void> {
    if (clock.now() - clearedAt < clearEveryMs) return;
    clearedAt = clock.now();
    await deleteOldEmails(db, claimed()).catch((error: unknown) =>
      log.error({ err: error }, "old email can't be deleted now"),
    );
  }

  async function tick(): Promise<void> {
    runner.wake();
    await clear();
    if (!closed) timer = setTimeout(() => void tick(), everyMs);
  }

  return {
    wake: runner.wake,
    async sendDue() {
      runner.wake();
      await clear();
      await runner.ended();
    },
    start: () => void tick(),
    async sendReserved(id) {
      const row = await claimReservedEmail(db, id, claimed());
      if (row === null) throw new AppError("conflict", "This email is already being sent.");
      return deliverEmail(options, row, { last: true, signal });
    },
    async close() {
      closed = true;
      runner.stop();
      clearTimeout(timer);
      const grace = setTimeout(() => stop.abort(), graceMs);
      await runner.ended();
      clearTimeout(grace);
    },
  };
}
