import { useEffect, useMemo, useState } from "react";

import { ApiError, type Client, hasPassword, logIn, makeClient } from "./client.ts";

interface Renewal {
  resolve(): void;
  reject(error: Error): void;
}

/** An ended session, while requests wait for a new one. */
export interface EndedSession {
  /** Whether there is a password; otherwise a sign-in link is the only way. */
  hasPassword: boolean;
  /** Signs in with the admin password; throws the server's error. */
  signIn(password: string): Promise<void>;
  /** Checks whether the owner has signed in elsewhere. */
  check(): Promise<boolean>;
  /** Cancels the waiting requests. */
  cancel(): void;
}

async function isSignedIn(): Promise<boolean> {
  const response = await fetch("/devconsole/auth", {
    credentials: "same-origin",
    cache: "no-store",
    headers: { accept: "application/json" },
  });
  const body = (await response.json()) as { data: { admin: boolean } | null };
  return body.data?.admin ?? false;
}

/** A shell's client, and the ended session while the owner has to sign in again. */
export function useSignIn(repeatsChanges: boolean): { client: Client; ended: EndedSession | null } {
  const [renewal, setRenewal] = useState<Renewal | null>(null);
  const [password, setPassword] = useState(true);
  const client = useMemo(
    () =>
      makeClient({
        fetch: (...call) => fetch(...call),
        repeatsChanges,
        signIn: () => new Promise((resolve, reject) => setRenewal({ resolve, reject })),
      }),
    [repeatsChanges],
  );
  const ended = useMemo((): EndedSession | null => {
    if (renewal === null) return null;
    function resume(): void {
      setRenewal(null);
      renewal?.resolve();
    }
    return {
      hasPassword: password,
      async signIn(entered) {
        await logIn((...call) => fetch(...call), entered);
        resume();
      },
      async check() {
        const signedIn = await isSignedIn().catch(() => false);
        if (signedIn) resume();
        return signedIn;
      },
      cancel() {
        setRenewal(null);
        const words = "You’re signed out. Your work is kept.";
        renewal.reject(new ApiError("unauthenticated", words, 401));
      },
    };
  }, [renewal, password]);
  useEffect(() => {
    if (renewal !== null) void hasPassword((...call) => fetch(...call)).then(setPassword);
  }, [renewal]);
  useEffect(() => {
    // After signing in elsewhere, the owner returns to this tab.
    if (ended === null) return;
    const onReturn = (): void => void ended.check();
    addEventListener("focus", onReturn);
    return () => removeEventListener("focus", onReturn);
  }, [ended]);
  return { client, ended };
}
