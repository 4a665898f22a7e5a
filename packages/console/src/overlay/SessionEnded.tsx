import { type ReactElement, type RefObject, useLayoutEffect, useRef, useState } from "react";

import { ApiError } from "../api/client.ts";
import type { EndedSession } from "../api/useSignIn.ts";
import { plainText } from "../ui/plain-text.ts";
import css from "./session-ended.css?inline";

/**
 * While this is shown it has the focus, and what had it before has it again afterwards. Over a
 * dialog of the console it has to be one, too.
 */
function useFocusHere() {
  const field = useRef<HTMLInputElement>(null);
  // Before it is painted what is below still has the focus.
  useLayoutEffect(() => {
    const root = field.current?.getRootNode() as ShadowRoot;
    const before = root.activeElement;
    const veil = field.current?.closest("dialog");
    if (root.querySelector("dialog:modal")) veil?.showModal();
    else veil?.show();
    field.current?.focus();
    return () => {
      veil?.close();
      if (before instanceof HTMLElement) requestAnimationFrame(() => before.focus());
    };
  }, []);
  return field;
}

/** One attempt to be let in again, and what came of it. */
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

/** Lies over the console when the server no longer knows the owner; what was typed stays below. */
export function SessionEnded({ ended }: { ended: EndedSession }): ReactElement {
  const field = useFocusHere();
  const { answer: response, busy, attempt } = useAttempt(field);
  const again = (): void => void attempt(ended.check);
  const signIn = (): void =>
    void attempt(async () => {
      await ended.signIn(field.current?.value ?? "");
      return true;
    });
  return (
    <dialog className="veil" onCancel={(event) => event.preventDefault()}>
      <style>{css}</style>
      <div
        className="ended"
        role="alertdialog"
        aria-labelledby="ended"
        aria-describedby="ended-text"
      >
        <h2 id="ended">Your session has ended</h2>
        <p id="ended-text">Sign in again to continue. Your text is kept, and runs keep going.</p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy) signIn();
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
          <p className="answer" role="alert">
            {response}
          </p>
        </form>
        <div className="actions">
          <a href="/admin" target="_blank" rel="noopener">
            Sign in in a new tab
          </a>
          <button type="button" className="button bare small" onClick={again}>
            I have signed in
          </button>
        </div>
      </div>
    </dialog>
  );
}
