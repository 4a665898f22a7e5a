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

/** Sends what is in the outbox, for as long as one process lives. */
export interface DeliveryWorker {
  /** Sends what is due, and waits until all of that is settled. Never throws. */
  sendDue(): Promise<void>;
  /** Sends what is due, in its own time. */
  wake(): void;
  /** Looks from now on by itself, also for what other processes have left. */
  start(): void;
  /**
   * Sends one that the outbox has held for this, and gives how it went; it is not tried again. Throws
   * `conflict` when the hold has lapsed.
   */
  sendReserved(id: number): Promise<DeliveryResult>;
  /** Takes up no more, lets what is under way end for a while, and gives back the rest. */
  close(): Promise<void>;
}

export interface DeliveryWorkerOptions extends DeliverEmailOptions {
  /** How often it is looked for what is due, in ms; 5 s unless told. */
  everyMs?: number;
  /** How long `close` lets what is under way end, in ms; 2 s unless told. */
  graceMs?: number;
}

/** How many emails are on their way at once. */
const maxConcurrent = 4;
/** How long an email is its sender's, in ms: longer than a try (15 s for a provider, 30 s for a server). */
export const leaseMs = 120_000;
const clearEveryMs = 60 * 60 * 1000;

/**
 * Several processes may have one each: every email is taken up by one of them, and one that died with
 * an email loses it when the lease is over. So an email leaves twice only when its sender dies between
 * sending and noting that, with the same Message-ID.
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
    onError: (error) => log.error({ err: error }, "mail can't be sent now"),
  });

  async function clear(): Promise<void> {
    if (clock.now() - clearedAt < clearEveryMs) return;
    clearedAt = clock.now();
    await deleteOldEmails(db, claimed()).catch((error: unknown) =>
      log.error({ err: error }, "old mail can't be removed now"),
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
