import type { ReactElement } from "react";

import { asApiError, ApiError } from "../../api/client.ts";
import { Select } from "../../ui/Select.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { Url } from "../../ui/Url.tsx";
import { CopyButton } from "../clipboard/CopyButton.tsx";
import { FormDialog } from "../forms/FormDialog.tsx";
import { type EditedForm, useForm } from "../forms/useForm.ts";
import {
  fieldOf,
  isSecretKept,
  missingProvider,
  newProvider,
  type ProviderForm,
  providerForm,
  type ProviderPreset,
  type ProviderView,
  withProvider,
} from "./identity-form.ts";
import { type IdentityView, useSaveSetting } from "./useSettings.ts";

const kinds = [
  { value: "oidc", label: "OpenID Connect" },
  { value: "github", label: "GitHub" },
] as const;

interface Props {
  list: IdentityView;
  /** The provider to edit, or the template of a new one. */
  subject: ProviderView | ProviderPreset;
  onClose(): void;
}

type Edited = EditedForm<ProviderForm>;

function isStored(subject: ProviderView | ProviderPreset): subject is ProviderView {
  return "callbackUrl" in subject;
}

/** The address to enter at the provider, which asks for it before issuing a client ID. */
function Callback({ id }: { id: string }): ReactElement | null {
  if (id === "") return null;
  const url = new URL(`/api/account/oauth/${id}/callback`, location.origin).href;
  return (
    <div className="callback">
      <p className="hint">Enter this as the callback (redirect) address at the provider:</p>
      <p>
        <code>
          <Url address={url} />
        </code>{" "}
        <CopyButton text={url} what="The callback address" />
      </p>
    </div>
  );
}

function Place({ edited, stored }: { edited: Edited; stored: boolean }): ReactElement {
  const { form, field } = edited;
  const github = form.kind === "github";
  return (
    <>
      <TextInput
        label="Name"
        {...field("name")}
        autoFocus
        hint="Shown on its button after “Continue with”."
        maxLength={60}
      />
      {!stored && (
        <TextInput
          label="Short name"
          {...field("id")}
          hint="Part of the callback address. You can’t change it later."
          maxLength={40}
        />
      )}
      <Select label="Kind" {...field("kind")} options={kinds} />
      <TextInput
        label={github ? "Address of your own GitHub server" : "Issuer"}
        {...field("issuer")}
        inputMode="url"
        hint={
          github
            ? "Leave blank for github.com."
            : "Its exact issuer address. The rest is discovered from it."
        }
        maxLength={500}
      />
    </>
  );
}

function Client(props: { edited: Edited; saved: ProviderView | null }): ReactElement {
  const { form, field } = props.edited;
  const kept = isSecretKept(form, props.saved);
  return (
    <>
      <TextInput label="Client ID" {...field("clientId")} maxLength={500} />
      <TextInput
        label="Client secret"
        {...field("clientSecret")}
        type="password"
        autoComplete="new-password"
        aside={<span>{kept ? "Set" : "Not set"}</span>}
        hint={
          kept
            ? "A secret is saved. Enter a new one to replace it."
            : "Stored encrypted, used for this address only and never shown again."
        }
        maxLength={1000}
      />
    </>
  );
}

/** The server's errors are about the whole list; the dialog is about one entry. */
function ofOne(error: unknown): ApiError | null {
  if (!error) return null;
  const { code, message, status, fields, details } = asApiError(error);
  const own = Object.entries(fields).map(([name, words]) => [fieldOf(name), words]);
  return new ApiError(code, message, status, { fields: Object.fromEntries(own), details });
}

/** Adds an identity provider, or edits one. */
export function ProviderDialog({ list, subject, onClose }: Props): ReactElement {
  const saved = isStored(subject) ? subject : null;
  const save = useSaveSetting("identity", "Identity provider saved.");
  const taken = list.providers.filter((one) => one !== saved).map(({ id }) => id);
  const edited = useForm({
    before: isStored(subject) ? providerForm(subject) : newProvider(subject),
    saving: Object.assign({}, save, { error: ofOne(save.error) }),
    check: (form) => missingProvider(form, saved, taken),
    save: (form) =>
      save.mutate(withProvider(list, form, saved?.id ?? null), { onSuccess: onClose }),
  });
  const madeAt = isStored(subject) ? null : subject.madeAt;
  return (
    <FormDialog
      title={saved ? `Change ${saved.name}` : "Add an identity provider"}
      edited={edited}
      onClose={onClose}
    >
      {madeAt && (
        <p className="muted">
          Create its client ID and secret at{" "}
          <a href={madeAt} rel="noreferrer" target="_blank">
            {new URL(madeAt).host}
          </a>
          .
        </p>
      )}
      <Place edited={edited} stored={saved !== null} />
      <Callback id={edited.form.id.trim()} />
      <Client edited={edited} saved={saved} />
      <label className="check">
        <input
          type="checkbox"
          name="enabled"
          checked={edited.form.enabled}
          onChange={(event) => edited.set({ enabled: event.target.checked })}
        />
        <span>Let people sign in with it</span>
      </label>
    </FormDialog>
  );
}
