import { type RegisteredRunner, silentAfterMs } from "./store.ts";

/** After this many of our own beats, a runner whose last beat is long ago counts as silent. */
const maxMissedHeartbeats = 4;
/** The same where the last beat looks recent: the database's clock may have been set back. */
const maxMissedHeartbeatsWhenRecent = 13;

/**
 * Counts, for every other runner, the consecutive beats of this one without a new beat of the other.
 * Unlike a clock, that is not fooled by a jump of the time or by a pause of this process or of the
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
    /** After an observation that failed: the others may have been unable to beat, too. */
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
