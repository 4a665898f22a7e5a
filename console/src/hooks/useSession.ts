import { useCallback, useEffect, useState } from "react";

import { type Api, makeRequests } from "../api.ts";

export interface Session {
  expired: boolean;
  /** Grows when the session was renewed. */
  epoch: number;
  expire(): void;
  /** Asks whether the owner has signed in again; resolves with the answer. */
  check(): Promise<boolean>;
  /** Signs in with the admin password; what the server refuses is thrown. */
  signIn(password: string): Promise<boolean>;
}

/** Whether the server still knows the owner; looks again when the owner comes back to the tab. */
export function useSession(api: Api): Session {
  const [expired, setExpired] = useState(false);
  const [epoch, setEpoch] = useState(0);
  const expire = useCallback(() => setExpired(true), []);
  const check = useCallback(async (): Promise<boolean> => {
    const signedIn = await api.isSignedIn().catch(() => false);
    if (signedIn) {
      setExpired(false);
      setEpoch((known) => known + 1);
    }
    return signedIn;
  }, [api]);
  const signIn = useCallback(
    async (password: string): Promise<boolean> => {
      const { post } = makeRequests(fetch.bind(globalThis), "/api/adminauth");
      await post("/login", { password });
      return check();
    },
    [check],
  );
  useEffect(() => {
    if (!expired) return;
    const onReturn = (): void => void check();
    addEventListener("focus", onReturn);
    return () => removeEventListener("focus", onReturn);
  }, [expired, check]);
  return { expired, epoch, expire, check, signIn };
}
