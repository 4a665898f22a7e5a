import { type RegisteredRunner, silentAfterMs } from "./store.ts";

/** After this many of our own heartbeats, a runner whose last one is old counts as silent. */
const maxMissedHeartbeats = 4;
/**
 * The same if the last heartbeat looks recent, because the database's clock may have been set back.
 */
const maxMissedHeartbeatsWhenRecent = 13;

/**
 * Counts, for every other runner, the consecutive heartbeats of this one without a new one of the
 * other. Unlike a clock, that isn't affected by time jumps or pauses of this process or the
 * database.
 */
export function makeLivenessWatch() {
  let silence = new Map<string, { seenAt: string; missedHeartbeats: number }>();
  return {
    observe(runners: readonly RegisteredRunner[]): void {
      silence = new Map(
        runners.map(({ id, seenAt }) => {
          const before = silence.get(id);
          return [
            id,
            {
              seenAt,
              missedHeartbeats: before?.seenAt === seenAt ? before.missedHeartbeats + 1 : 0,
            },
          ];
        }),
      );
    },
    /** Call after a failed observation: the others may have been unable to send heartbeats, too. */
    reset(): void {
      silence = new Map();
    },
    isSilent({ id, seenAt, now }: RegisteredRunner): boolean {
      const last = silence.get(id);
      if (last?.seenAt !== seenAt) return false;
      const overdue = Date.parse(now) - Date.parse(seenAt) > silentAfterMs;
      return (
        last.missedHeartbeats >= (overdue ? maxMissedHeartbeats : maxMissedHeartbeatsWhenRecent)
      );
    },
  };
}

export type LivenessWatch = ReturnType<typeof makeLivenessWatch>;
