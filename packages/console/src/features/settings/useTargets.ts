import type {
  FoundHostKey,
  Target,
  TargetList,
  TargetTest,
} from "../../../../server/src/features/publish-targets/schema.ts";
import { useChange } from "../../api/useChange.ts";
import { useGet } from "../../api/useGet.ts";

export type { FoundHostKey, Target, TargetList };

const api = "/api/adminsettings/targets";
const targetsKey = ["settings", "targets"] as const;
/** The polling interval while something is being sent, or soon will be, in ms. */
const pollIntervalMs = 2000;
/** Otherwise, in ms: another tab may have published something. */
const idleIntervalMs = 15_000;

const isUnderWay = ({ status }: Target): boolean => status === "sending" || status === "waiting";

/** The publish targets with their state. */
export function useTargets() {
  return useGet<TargetList>(
    targetsKey,
    api,
    {},
    {
      refetchInterval: ({ state }) =>
        state.data?.items.some(isUnderWay) ? pollIntervalMs : idleIntervalMs,
    },
  );
}

const awaited = [targetsKey];

/** Adds a target, or changes the one with this ID. */
export function useSaveTarget(id: number | null) {
  return useChange<object, Target>({
    send: (client, body) =>
      id === null
        ? client.post(`${api}/create`, body)
        : client.post(`${api}/save`, { ...body, id }),
    announcement: ({ name }) => `${name} saved.`,
    awaited,
  });
}

export function useRemoveTarget() {
  return useChange<Target>({
    send: (client, { id }) => client.post(`${api}/delete`, { id }),
    announcement: (_, { name }) => `${name} removed.`,
    awaited,
  });
}

/** Pauses a target or resumes it, sends to it, and tests the connection. */
export function useTargetActions({ id, name }: Target) {
  const pause = useChange<boolean, Target>({
    send: (client, isPaused) => client.post(`${api}/pause`, { id, isPaused }),
    announcement: (_, isPaused) => `${name} ${isPaused ? "paused" : "resumed"}.`,
    awaited,
  });
  const send = useChange<{ everything: boolean }, Target>({
    send: (client, body) => client.post(`${api}/send`, { id, ...body }),
    announcement: () => `Sending your site to ${name}.`,
    awaited,
  });
  const test = useChange<void, TargetTest>({
    send: (client) => client.post(`${api}/test`, { id }),
    announcement: ({ found }) => found,
  });
  return { pause, send, test };
}

/** Asks a server for its SSH host key. */
export function useFindHostKey() {
  return useChange<{ host: string; port: number }, FoundHostKey>({
    send: (client, server) => client.post(`${api}/host-key`, server),
    announcement: ({ fingerprint }) => `The server’s fingerprint is ${fingerprint}.`,
  });
}
