import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { newUlid } from "../kit/ulid.ts";
import { acquireLock, type HeldLock, lockState, removeLock } from "./lock.ts";
import type { InstancePaths } from "./paths.ts";

/** Heavy work that the sites of an installation do in turns. */
export type SlotKind = "build" | "image" | "video" | "qa" | "browser";

/** Lets few tasks of all sites of an installation run at once. */
export interface Slots {
  /** Runs a task when it is this site's turn. Aborting `signal` ends the wait and throws its reason. */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** The same for a task that ends elsewhere; `release` is idempotent. */
  take(signal?: AbortSignal): Promise<{ release(): void }>;
}

/** For a process that shares nothing. */
export const unlimitedSlots: Slots = {
  run: (task) => task(),
  take: async () => ({ release() {} }),
};

export interface SlotOptions {
  installation: Pick<InstancePaths, "slots" | "sites">;
  kind: SlotKind;
  /** The name of this process's site; null for the installation's own. */
  siteId: string | null;
  /** How many run at once. */
  count: number;
}

/** How often the next in line looks for a free slot, and how much longer each one behind it waits, in ms. */
const pollMs = { first: 50, perPlace: 25, most: 1000 };
/** Stands for the installation's own site: no site can have this name. */
const ownName = "_";

interface Ticket {
  name: string;
  site: string;
}

const ticketName = /^([a-z0-9_-]+)~[0-9A-Z]{26}\.lock$/;

function listTickets(folder: string): Ticket[] {
  return readdirSync(folder).flatMap((name) => {
    const site = ticketName.exec(name)?.[1];
    return site === undefined ? [] : [{ name, site }];
  });
}

/** When a site last got a slot, in ms; 0 before the first. */
function lastTurn(folder: string, site: string): number {
  try {
    return statSync(join(folder, site)).mtimeMs;
  } catch {
    return 0;
  }
}

/** Whoever has waited longest since the last turn of their site comes first; of one site, the oldest. */
function inOrder(tickets: readonly Ticket[], turnsDir: string): Ticket[] {
  const sites = new Set(tickets.map(({ site }) => site));
  const turns = new Map([...sites].map((site) => [site, lastTurn(turnsDir, site)]));
  const turnOf = ({ site }: Ticket) => turns.get(site) ?? 0;
  return tickets.toSorted(
    (a, b) => turnOf(a) - turnOf(b) || (a.name.slice(-31) < b.name.slice(-31) ? -1 : 1),
  );
}

/** How many living tickets come before this one. Removes those of dead processes. */
function placeOf(own: string, waitingDir: string, turnsDir: string): number {
  let place = 0;
  for (const { name } of inOrder(listTickets(waitingDir), turnsDir)) {
    if (name === own) return place;
    const file = join(waitingDir, name);
    if (lockState(file) === "held") place += 1;
    else removeLock(file);
    // Further back, it only matters that it isn't the first.
    if (place > pollMs.most / pollMs.perPlace) return place;
  }
  return place;
}

function noteTurn(folder: string, site: string): void {
  const file = join(folder, site);
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch {
    writeFileSync(file, "");
  }
}

function takeSlot(folder: string, count: number): HeldLock | null {
  for (let number = 0; number < count; number += 1) {
    const lock = acquireLock(join(folder, `slot-${number}.lock`));
    if (lock !== null) return lock;
  }
  return null;
}

/**
 * Slots for one kind of work. They and the places in line are locks of the operating system, so a
 * process that dies holds up nobody. Without further sites, there is nobody to share with, and every
 * task runs at once.
 */
export function openSlots({ installation, kind, siteId, count }: SlotOptions): Slots {
  const folder = join(installation.slots, kind);
  const [waitingDir, turnsDir] = [join(folder, "waiting"), join(folder, "turns")];
  const site = siteId ?? ownName;

  async function wait(signal: AbortSignal | undefined): Promise<HeldLock> {
    for (const dir of [waitingDir, turnsDir]) mkdirSync(dir, { recursive: true, mode: 0o700 });
    const name = `${site}~${newUlid(Date.now())}.lock`;
    const ticket = acquireLock(join(waitingDir, name));
    try {
      for (;;) {
        signal?.throwIfAborted();
        const place = placeOf(name, waitingDir, turnsDir);
        const slot = place === 0 ? takeSlot(folder, count) : null;
        if (slot !== null) {
          noteTurn(turnsDir, site);
          return slot;
        }
        const ms = Math.min(pollMs.most, pollMs.first + place * pollMs.perPlace);
        await delay(ms, undefined, signal ? { signal } : {}).catch(() => {});
      }
    } finally {
      ticket?.release();
    }
  }

  const take = async (signal?: AbortSignal) =>
    existsSync(installation.sites) ? wait(signal) : unlimitedSlots.take();
  return {
    take,
    async run(task, signal) {
      const slot = await take(signal);
      try {
        return await task();
      } finally {
        slot.release();
      }
    },
  };
}
