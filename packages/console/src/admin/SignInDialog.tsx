import { type FormEvent, type ReactElement, useId, useState } from "react";

import { asApiError } from "../api/client.ts";
import type { EndedSession } from "../api/useSignIn.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { TextInput } from "../ui/TextInput.tsx";

/** Lies over the page when the session has ended; the page stays as it is below. */
export function SignInDialog({ ended }: { ended: EndedSession }): ReactElement {
  const form = useId();
  const [password, setPassword] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError("");
    try {
      await ended.signIn(password);
    } catch (cause) {
      setError(asApiError(cause).message);
      setBusy(false);
    }
  }

  return (
    <Dialog
      title="Your session has ended"
      onClose={ended.cancel}
      actions={
        <>
          <Button onClick={ended.cancel}>Not now</Button>
          <Button variant="primary" type="submit" form={form} busy={busy}>
            Sign in
          </Button>
        </>
      }
    >
      <p>Sign in again to continue. Nothing on this page is lost.</p>
      <form id={form} onSubmit={(event) => void submit(event)}>
        <TextInput
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          maxLength={1024}
          value={password}
          error={error}
          onChange={setPassword}
        />
      </form>
    </Dialog>
  );
}
