import { type FormEvent, type ReactElement, useId, useState } from "react";

import { asClientError, readAnswer } from "./client.ts";
import { Button } from "./components/Button.tsx";
import { Dialog } from "./components/Dialog.tsx";
import { TextInput } from "./components/TextInput.tsx";

async function login(password: string): Promise<void> {
  const answer = await fetch("/api/adminauth/login", {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ password }),
  });
  readAnswer(answer.status, await answer.text(), null);
}

/** Lies over the page when the session has ended; the page stays as it is below. */
export function SignInDialog(props: { onDone(): void; onCancel(): void }): ReactElement {
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
      await login(password);
      props.onDone();
    } catch (cause) {
      const offline = cause instanceof TypeError;
      setError(offline ? "The server can’t be reached." : asClientError(cause).message);
      setBusy(false);
    }
  }

  return (
    <Dialog
      title="Your session has ended"
      onClose={props.onCancel}
      actions={
        <>
          <Button onClick={props.onCancel}>Not now</Button>
          <Button look="primary" type="submit" form={form} busy={busy}>
            Sign in
          </Button>
        </>
      }
    >
      <p>Sign in again, and what you were doing goes on. Nothing on this page is lost.</p>
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
