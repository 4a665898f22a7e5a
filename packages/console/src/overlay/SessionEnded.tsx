import { type ReactElement, type RefObject, useLayoutEffect, useRef, useState } from "react";

import { ApiError } from "../api/client.ts";
import type { EndedSession } from "../api/useSignIn.ts";
import { plainText } from "../ui/plain-text.ts";
import css from "./session-ended.css?inline";

/**
 * While this is shown, it has the focus, and returns it afterwards. Over a dialog of the console,
 * it has to be one, too.
 */
function useFocusHere() {
  const field = useRef<HTMLInputElement>(null);
  const veil = useRef<HTMLDialogElement>(null);
  // Before painting, what is below still has the focus.
  useLayoutEffect(() => {
    const dialog = veil.current;
    const root = dialog?.getRootNode() as ShadowRoot;
    const before = root.activeElement;
    if (root.querySelector("dialog:modal")) dialog?.showModal();
    else dialog?.show();
    field.current?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) requestAnimationFrame(() => before.focus());
    };
  }, []);
  return { field, veil };
}

/** An attempt to sign in again, and its result. */
function useAttempt(field: RefObject<HTMLInputElement | null>) {
  const [response, setAnswer] = useState("");
  const [busy, setBusy] = useState(false);
  async function attempt(work: () => Promise<boolean>): Promise<void> {
    setAnswer("");
    setBusy(true);
    try {
      if (!(await work())) setAnswer("Not signed in yet.");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setAnswer(plainText(error.message));
      field.current?.select();
    } finally {
      setBusy(false);
    }
  }
  return { answer: response, busy, attempt };
}

interface SignInProps {
  ended: EndedSession;
  field: RefObject<HTMLInputElement | null>;
  busy: boolean;
  attempt(work: () => Promise<boolean>): Promise<void>;
}

/** The password field, if there is one; otherwise how to get a link. */
function SignInForm({ ended, field, busy, attempt }: SignInProps): ReactElement {
  const signIn = async (): Promise<boolean> => {
    await ended.signIn(field.current?.value ?? "");
    return true;
  };
  return (
    <>
      {!ended.hasPassword && (
        <p>
          No password has been chosen yet. Open your sign-in link in a new tab, or run{" "}
          <code>vitrine set-admin-token</code> on the server to get one.
        </p>
      )}
      <form
        hidden={!ended.hasPassword}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void attempt(signIn);
        }}
      >
        <label htmlFor="ended-password">Password</label>
        <div className="row">
          <input
            ref={field}
            id="ended-password"
            type="password"
            autoComplete="current-password"
            required
          />
          <button type="submit" className="button primary" aria-disabled={busy}>
            {busy ? "Signing in…" : "Sign in"}
          </button>
        </div>
      </form>
    </>
  );
}

/** Shown over the console when the session has ended; input stays below. */
export function SessionEnded({ ended }: { ended: EndedSession }): ReactElement {
  const { field, veil } = useFocusHere();
  const { answer, busy, attempt } = useAttempt(field);
  const checkButton = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    // One of the two ways is hidden, and loses the focus.
    (ended.hasPassword ? field : checkButton).current?.focus();
  }, [field, ended.hasPassword]);
  const again = (): void => void attempt(ended.check);
  return (
    <dialog ref={veil} className="veil" onCancel={(event) => event.preventDefault()}>
      <style>{css}</style>
      <div
        className="ended"
        role="alertdialog"
        aria-labelledby="ended"
        aria-describedby="ended-text"
      >
        <h2 id="ended">Your session has ended</h2>
        <p id="ended-text">Sign in again. Your text is kept, and runs continue.</p>
        <SignInForm ended={ended} field={field} busy={busy} attempt={attempt} />
        <p className="answer" role="alert">
          {answer}
        </p>
        <div className="actions">
          {ended.hasPassword && (
            <a href="/admin" target="_blank" rel="noopener">
              Sign in in a new tab
            </a>
          )}
          <button ref={checkButton} type="button" className="button bare small" onClick={again}>
            I’ve signed in
          </button>
        </div>
      </div>
    </dialog>
  );
}
