import { type ReactElement, useState } from "react";

import { useSite } from "../../api/context.tsx";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Select } from "../../ui/Select.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { CopyButton } from "../clipboard/CopyButton.tsx";
import { FormDialog } from "../forms/FormDialog.tsx";
import { Time } from "../time/Time.tsx";
import { type EditedForm, useForm } from "../forms/useForm.ts";
import {
  lifetimes,
  missingToken,
  newToken,
  rights,
  tokenBody,
  type TokenForm,
} from "./token-form.ts";
import { type CreatedToken, useTokenChanges } from "./useTokens.ts";

function Fields({ edited }: { edited: EditedForm<TokenForm> }): ReactElement {
  const { form, field, error, set } = edited;
  return (
    <>
      <TextInput
        label="Name"
        {...field("name")}
        autoFocus
        hint="What uses it, such as “backup script”."
        maxLength={80}
      />
      <Select
        label="Permissions"
        name="scopes"
        value={form.right}
        options={rights}
        error={error("scopes")}
        hint="A token can’t read secrets or create other tokens."
        onChange={(right) => set({ right })}
      />
      <Select
        label="How long it’s valid"
        name="lifetime"
        value={form.lifetime}
        options={lifetimes}
        error={form.lifetime === "date" ? null : error("expires")}
        onChange={(lifetime) => set({ lifetime })}
      />
      {form.lifetime === "date" && (
        <TextInput
          label="Last day"
          name="expires"
          type="date"
          hint="It works until the end of that day in your time zone."
          value={form.day}
          error={error("expires")}
          onChange={(day) => set({ day })}
        />
      )}
    </>
  );
}

/** Shows the token, which exists only in this dialog. */
function TokenCreatedDialog({
  made,
  onClose,
}: {
  made: CreatedToken;
  onClose(): void;
}): ReactElement {
  return (
    <Dialog
      alert
      title={`“${made.name}” created`}
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          I’ve saved it
        </Button>
      }
    >
      <Notice kind="warn" quiet>
        This token is shown only once. Save it where you keep passwords.
      </Notice>
      <p className="token">
        <code>{made.token}</code>
      </p>
      <p>
        <CopyButton text={made.token} what="The token" />
      </p>
      <p className="muted">
        Send it as <code>Authorization: Bearer …</code>.{" "}
        {made.expiresAt === null ? (
          "It works until you revoke it."
        ) : (
          <>
            It works until <Time iso={made.expiresAt} />.
          </>
        )}
      </p>
    </Dialog>
  );
}

/** Creates a token and shows it once. */
export function NewTokenDialog({ onClose }: { onClose(): void }): ReactElement {
  const { timeZone } = useSite();
  const { create } = useTokenChanges();
  const [made, setMade] = useState<CreatedToken | null>(null);
  const edited = useForm({
    before: newToken,
    saving: create,
    names: ["name", "scopes", "scopes.0", "expires"],
    check: (form) => missingToken(form, Date.now(), timeZone),
    save: (form) => create.mutate(tokenBody(form, Date.now(), timeZone), { onSuccess: setMade }),
  });
  if (made) return <TokenCreatedDialog made={made} onClose={onClose} />;
  return (
    <FormDialog
      title="Create an API token"
      yes="Create token"
      refused="Couldn’t create the token."
      edited={edited}
      onClose={onClose}
    >
      <Fields edited={edited} />
    </FormDialog>
  );
}
