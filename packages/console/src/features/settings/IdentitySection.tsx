import { type ReactElement, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { MoveButtons } from "../../ui/MoveButtons.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Url } from "../../ui/Url.tsx";
import { CopyButton } from "../clipboard/CopyButton.tsx";
import { DeleteDialog } from "../forms/DeleteDialog.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import {
  moveProvider,
  providerForm,
  type ProviderPreset,
  providerPresets,
  type ProviderView,
  withoutProvider,
  withProvider,
} from "./identity-form.ts";
import { ProviderDialog } from "./ProviderDialog.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { type IdentityView, useSaveSetting, useSetting, useTestSetting } from "./useSettings.ts";

const maxProviders = 10;

function Outcome({ test }: { test: ReturnType<typeof useTestSetting<"identity">> }) {
  if (!test.data)
    return <ErrorState what="The provider can’t be used with these settings." error={test.error} />;
  return (
    <Notice kind="info" title="The provider responds.">
      <ul>
        <li>People sign in at {new URL(test.data.signInAt).host}.</li>
        {test.data.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Notice>
  );
}

function ProviderDetails({ provider }: { provider: ProviderView }): ReactElement {
  return (
    <dl className="provider-facts">
      <div>
        <dt>Server</dt>
        <dd>
          <Url address={provider.issuer ?? "github.com"} />
        </dd>
      </div>
      <div>
        <dt>Client ID</dt>
        <dd>{provider.clientId}</dd>
      </div>
      <div>
        <dt>Client secret</dt>
        <dd>{provider.clientSecretSet ? "Set" : "Not set"}</dd>
      </div>
      <div>
        <dt>Callback address</dt>
        <dd>
          <code>
            <Url address={provider.callbackUrl} />
          </code>{" "}
          <CopyButton
            text={provider.callbackUrl}
            what={`The callback address of ${provider.name}`}
          />
        </dd>
      </div>
    </dl>
  );
}

interface RowProps {
  list: IdentityView;
  provider: ProviderView;
  index: number;
  onMove(to: number): void;
  onEdit(provider: ProviderView): void;
  onDelete(provider: ProviderView): void;
}

function ProviderRow(props: RowProps): ReactElement {
  const { list, provider, index, onMove, onEdit, onDelete } = props;
  const { id, name, enabled } = provider;
  const save = useSaveSetting("identity", `${name} is ${enabled ? "off" : "on"}.`);
  const test = useTestSetting("identity");
  const turn = (): void => {
    save.mutate(withProvider(list, { ...providerForm(provider), enabled: !enabled }, id));
  };
  return (
    <li className="provider" data-provider={id}>
      <h3>
        {name} {!enabled && <span className="badge">Off</span>}
      </h3>
      <ProviderDetails provider={provider} />
      <Outcome test={test} />
      <ErrorState what="Couldn’t change it." error={save.error} />
      <div className="actions">
        <Button busy={test.isPending} label={`Test ${name}`} onClick={() => test.mutate({ id })}>
          Test
        </Button>
        <Button
          busy={save.isPending}
          label={`${enabled ? "Turn off" : "Turn on"} ${name}`}
          onClick={turn}
        >
          {enabled ? "Turn off" : "Turn on"}
        </Button>
        <Button icon="edit" label={`Edit ${name}`} onClick={() => onEdit(provider)}>
          Edit
        </Button>
        {list.providers.length > 1 && (
          <MoveButtons noun={name} index={index} count={list.providers.length} onMove={onMove} />
        )}
        <Button
          variant="bare"
          icon="trash"
          label={`Delete ${name}`}
          onClick={() => onDelete(provider)}
        />
      </div>
    </li>
  );
}

function DeleteProvider(props: {
  list: IdentityView;
  provider: ProviderView;
  onClose(): void;
}): ReactElement {
  const { list, provider, onClose } = props;
  const save = useSaveSetting("identity", `${provider.name} deleted.`);
  const remove = {
    ...save,
    mutate: ({ id }: ProviderView, options: { onSuccess(): void }) =>
      save.mutate(withoutProvider(list, id), options),
  };
  return (
    <DeleteDialog item={provider} name={provider.name} remove={remove} onClose={onClose}>
      <p>
        Its secret is deleted, too. People who signed in only with it can request a link to choose a
        password.
      </p>
    </DeleteDialog>
  );
}

function Providers({ list }: { list: IdentityView }): ReactElement {
  const [subject, setSubject] = useState<ProviderView | ProviderPreset | null>(null);
  const [providerToDelete, setProviderToDelete] = useState<ProviderView | null>(null);
  const order = useSaveSetting("identity", "Order saved.");
  const { providers } = list;
  const missing = providerPresets.filter(
    ({ value, id }) => value === "other" || !providers.some((one) => one.id === id),
  );
  return (
    <>
      {providers.length === 0 && (
        <p>None yet. People sign in with an email address and a password.</p>
      )}
      <ErrorState what="Couldn’t change the order." error={order.error} />
      {providers.length > 0 && (
        <ol className="providers" aria-label="Identity providers">
          {providers.map((provider, index) => (
            <ProviderRow
              key={provider.id}
              list={list}
              provider={provider}
              index={index}
              onMove={(to) => order.mutate(moveProvider(list, index, to))}
              onEdit={setSubject}
              onDelete={setProviderToDelete}
            />
          ))}
        </ol>
      )}
      {providers.length < maxProviders && (
        <div className="actions">
          {missing.map((preset) => (
            <Button key={preset.value} icon="add" onClick={() => setSubject(preset)}>
              Add {preset.value === "other" ? "another provider" : preset.label}
            </Button>
          ))}
        </div>
      )}
      {subject && <ProviderDialog list={list} subject={subject} onClose={() => setSubject(null)} />}
      {providerToDelete && (
        <DeleteProvider
          list={list}
          provider={providerToDelete}
          onClose={() => setProviderToDelete(null)}
        />
      )}
    </>
  );
}

/** Providers that people can sign in with. */
export function IdentitySection(): ReactElement {
  const identity = useSetting("identity");
  return (
    <SettingSection
      id="identity"
      title="Identity providers"
      about="Let people sign in with an account they already have. Register this site with each provider to get a client ID and a secret."
      setting={identity}
      what="the identity providers"
      kept={
        <>
          To start over without them, run <code>vitrine setting unset identity</code>.
        </>
      }
    >
      {(data) => <Providers list={data} />}
    </SettingSection>
  );
}
