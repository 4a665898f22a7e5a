import type { Clock } from "../../../kit/clock.ts";
import type { Log } from "../../../platform/log.ts";
import type { SiteCopy } from "../copy/site-copy.ts";

/** What all kinds need from outside. */
export interface KindDependencies {
  clock: Clock;
  log: Log;
  /** From 0 to below 1. */
  random(): number;
  /** Waits; throws the signal's reason. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** Whether a connection to this address is refused. */
  isForbidden(address: string): boolean;
  /** A file with additional certificate authorities for git. */
  caFile?: string | undefined;
  /** The addresses of the two APIs. */
  netlifyUrl: string;
  cloudflareUrl: string;
}

/** What the target holds, as far as it has acknowledged it. Survives the process. */
export interface Marks {
  /** By path; an empty mark is for a file that may be there or not. */
  read(): Promise<Map<string, string>>;
  /** To be called before files are sent or removed, so that none is forgotten. */
  begin(paths: readonly string[]): Promise<void>;
  acknowledge(files: readonly { path: string; mark: string }[]): Promise<void>;
  forget(paths: readonly string[]): Promise<void>;
}

/** How far a delivery is. */
export interface DeliveryProgress {
  /** How many files are to be sent or removed. */
  expect(files: number): Promise<void>;
  /** So many more were; `bytes`, of them sent. */
  add(files: number, bytes: number): Promise<void>;
}

/** Where to: the settings and the secret, which is a key, a token, or a private SSH key. */
export interface Destination<Settings> {
  settings: Settings;
  secret: string;
  /** A folder of the target's own, kept between deliveries. */
  folder: string;
  signal: AbortSignal;
}

export interface Delivery<Settings> extends Destination<Settings> {
  copy: SiteCopy;
  /** Changes with each change of the settings. */
  revision: number;
  marks: Marks;
  progress: DeliveryProgress;
  /** What the kind remembers between deliveries. */
  state: { read(): Promise<string | null>; write(text: string | null): Promise<void> };
}

/** One kind of target. Failures are AppErrors whose messages are shown to the owner. */
export interface Kind<Settings> {
  /** Tries to connect as a delivery would; returns a sentence about what was found. */
  check(deps: KindDependencies, destination: Destination<Settings>): Promise<string>;
  /** Sends a copy. Can be killed at any time and called again, with the same copy or another. */
  deliver(deps: KindDependencies, delivery: Delivery<Settings>): Promise<void>;
}
