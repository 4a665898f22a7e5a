import { type ReactElement, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { Url } from "../../ui/Url.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { RemovalDialog } from "../forms/DeleteDialog.tsx";
import { useForm } from "../forms/useForm.ts";
import { SettingForm } from "../settings/SettingForm.tsx";
import { SettingsSection } from "../settings/SettingsSection.tsx";
import type { SiteChange } from "./labels.ts";
import { type SiteDetail, useChangeSite } from "./useSites.ts";

function AddDomain({ name }: { name: string }): ReactElement {
  const change = useChangeSite();
  const edited = useForm({
    before: { domain: "" },
    saving: change,
    check({ domain }): Record<string, string> {
      return domain.trim() === "" ? { domain: "Enter a domain, such as example.org." } : {};
    },
    save: ({ domain }) =>
      change.mutate(
        { path: "add-domain", body: { name, domain: domain.trim() } },
        { onSuccess: () => edited.clear() },
      ),
  });
  return (
    <SettingForm
      edited={edited}
      label="Add a domain"
      save="Add domain"
      refused="Couldn’t add the domain."
      state={<></>}
    >
      <TextInput
        label="New domain"
        {...edited.field("domain")}
        hint="Without https://. Its DNS has to point to this server."
        inputMode="url"
        maxLength={253}
      />
    </SettingForm>
  );
}

function DomainRow(props: {
  domain: string;
  isMain: boolean;
  onMain(): void;
  onRemove(): void;
  isBusy: boolean;
}): ReactElement {
  const { domain, isMain } = props;
  return (
    <li className="entry">
      <p className="entry-words">
        <span>
          <Url address={domain} /> {isMain && <span className="badge">Main</span>}
        </span>
      </p>
      {!isMain && (
        <div className="actions">
          <Button
            busy={props.isBusy}
            label={`Make ${domain} the main domain`}
            onClick={props.onMain}
          >
            Make main
          </Button>
          <Button label={`Remove ${domain}`} onClick={props.onRemove}>
            Remove
          </Button>
        </div>
      )}
    </li>
  );
}

function RemoveDomain(props: { name: string; domain: string; onClose(): void }): ReactElement {
  const { name, domain, onClose } = props;
  const item: SiteChange = { path: "remove-domain", body: { name, domain } };
  return (
    <RemovalDialog
      item={item}
      question={`Remove ${domain}?`}
      yes="Remove"
      remove={useChangeSite()}
      onClose={onClose}
    >
      <p>It no longer leads to this site. You can add it again, here or at another site.</p>
    </RemovalDialog>
  );
}

/** The domains of a site, its main one first. */
export function Domains({ site }: { site: SiteDetail }): ReactElement {
  const { name, domains } = site;
  const [toRemove, setToRemove] = useState<string | null>(null);
  const main = useChangeSite();
  const pending = main.isPending && "domain" in main.variables.body && main.variables.body.domain;
  return (
    <SettingsSection
      title="Domains"
      about="The site’s pages name its main domain; the others lead there. A new main domain has the site built again."
    >
      <ol className="entries" aria-label="Domains, the main one first">
        {domains.map((domain, at) => (
          <DomainRow
            key={domain}
            domain={domain}
            isMain={at === 0}
            isBusy={pending === domain}
            onMain={() => main.mutate({ path: "set-main-domain", body: { name, domain } })}
            onRemove={() => setToRemove(domain)}
          />
        ))}
      </ol>
      <ErrorState what="Couldn’t change the main domain." error={main.error} />
      <AddDomain name={name} />
      {toRemove !== null && (
        <RemoveDomain name={name} domain={toRemove} onClose={() => setToRemove(null)} />
      )}
    </SettingsSection>
  );
}
