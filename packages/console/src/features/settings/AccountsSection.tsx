import { type ReactElement, useId } from "react";

import { Button } from "../../ui/Button.tsx";
import { formatCount } from "../../ui/format.ts";
import { Notice } from "../../ui/Notice.tsx";
import { SaveState } from "../../ui/SaveState.tsx";
import { useForm } from "../shared/useForm.ts";
import { SettingBody } from "./SettingBody.tsx";
import { SettingsSection } from "./SettingsSection.tsx";
import { signUps } from "./site-forms.ts";
import { type AccountsView, useSaveSetting, useSetting } from "./useSiteSettings.ts";

function AccountsEditor({ accounts }: { accounts: AccountsView }): ReactElement {
  const name = useId();
  const save = useSaveSetting("accounts", "Who may make an account is saved.");
  const edited = useForm<{ signUp: AccountsView["signUp"] }>({
    before: { signUp: accounts.signUp },
    saving: save,
    check: () => ({}),
    save: (form) => save.mutate(form),
  });
  return (
    <form ref={edited.element} noValidate onSubmit={edited.submit} aria-label="Accounts">
      <fieldset className="places">
        <legend>Who may make an account</legend>
        {signUps.map(({ value, label, about }) => (
          <label key={value} className="place">
            <input
              type="radio"
              name={name}
              value={value}
              checked={edited.form.signUp === value}
              aria-describedby={`${name}-${value}`}
              onChange={() => edited.change({ signUp: value })}
            />
            <span className="place-name">{label}</span>
            <span className="muted" id={`${name}-${value}`}>
              {about}
            </span>
          </label>
        ))}
      </fieldset>
      <p className="muted">
        {formatCount(accounts.accounts, "account")} now, {accounts.verified} with a confirmed
        address. <a href="/admin/members">Members</a>
      </p>
      {edited.refusal && (
        <Notice kind="error" title="It was not saved.">
          {edited.refusal.message}
        </Notice>
      )}
      <div className="actions">
        <Button variant="primary" type="submit" busy={save.isPending}>
          Save accounts
        </Button>
        <SaveState status={edited.status} />
      </div>
    </form>
  );
}

/** Who may make an account. */
export function AccountsSection(): ReactElement {
  const accounts = useSetting("accounts");
  return (
    <SettingsSection
      id="accounts"
      title="Accounts"
      about="Visitors sign in to see projects that are for members or for those you invite. Nothing else of the site needs an account."
    >
      <SettingBody query={accounts} what="Who may make an account">
        {(data) => <AccountsEditor accounts={data} />}
      </SettingBody>
    </SettingsSection>
  );
}
