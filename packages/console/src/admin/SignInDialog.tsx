import { type FormEvent, type ReactElement, type ReactNode, useId, useState } from "react";

import { asApiError } from "../api/client.ts";
import type { EndedSession } from "../api/useSignIn.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { TextInput } from "../ui/TextInput.tsx";

/** Shown over the page when the session has ended; the page stays as it is. */
export function SignInDialog({ ended }: { ended: EndedSession }): ReactElement {
  return ended.hasPassword ? <PasswordDialog ended={ended} /> : <LinkDialog ended={ended} />;
}

function EndedDialog(props: {
  ended: EndedSession;
  action: ReactNode;
  children: ReactNode;
}): ReactElement {
  const { ended, action, children } = props;
  return (
    <Dialog
      title="Your session has ended"
      onClose={ended.cancel}
      actions={
        <>
          <Button onClick={ended.cancel}>Not now</Button>
          {action}
        </>
      }
    >
      {children}
    </Dialog>
  );
}

/** No password was ever chosen: the way in is a link, opened in another tab. */
function LinkDialog({ ended }: { ended: EndedSession }): ReactElement {
  const [isStillOut, setStillOut] = useState(false);
  const check = async (): Promise<void> => setStillOut(!(await ended.check()));
  return (
    <EndedDialog
      ended={ended}
      action={
        <Button variant="primary" onClick={() => void check()}>
          I’ve signed in
        </Button>
      }
    >
      <p>
        No password has been chosen yet. Open your sign-in link in another tab, then come back.
        Nothing on this page is lost.
      </p>
      <p>
        No link at hand? Run <code>vitrine set-admin-token</code> on the server to get a new one.
      </p>
      <p role="alert">{isStillOut && "You aren’t signed in yet."}</p>
    </EndedDialog>
  );
}

function PasswordDialog({ ended }: { ended: EndedSession }): ReactElement {
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
    <EndedDialog
      ended={ended}
      action={
        <Button variant="primary" type="submit" form={form} busy={busy}>
          Sign in
        </Button>
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
    </EndedDialog>
  );
}
