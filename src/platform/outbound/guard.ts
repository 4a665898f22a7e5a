import type { Socket } from "node:net";
import type { Dispatcher } from "undici";

export interface GuardOptions {
  /** Hosts that may be reached although they are not public. */
  allow: (host: string, port: number) => boolean;
  /** How long asking for the name, connecting and TLS may each take, in ms. */
  connectMs: number;
  /** Open connections to one origin. */
  connections: number;
}

export function makeGuardedDispatcher(_options: GuardOptions): Dispatcher {
  throw new Error("not there yet");
}

export function guardedConnect(
  _host: string,
  _port: number,
  _options: Pick<GuardOptions, "allow" | "connectMs">,
): Promise<Socket> {
  throw new Error("not there yet");
}
