import type { ReactElement } from "react";

import { formatCount } from "../../ui/format.ts";
import { useForm } from "../forms/useForm.ts";
import { ChoiceCards } from "./ChoiceCards.tsx";
import { SettingForm } from "./SettingForm.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { signUps } from "./site-forms.ts";
import { type AccountsView, useSaveSetting, useSetting } from "./useSettings.ts";

function AccountsEditor({ accounts }: { accounts: AccountsView }): ReactElement {
  const save = useSaveSetting("accounts", "Account settings saved.");
  const edited = useForm<{ signUp: AccountsView["signUp"] }>({
    before: { signUp: accounts.signUp },
    saving: save,
    check: () => ({}),
    save: (form) => save.mutate(form),
  });
  return (
    <SettingForm edited={edited} label="Accounts" save="Save accounts">
      <ChoiceCards
        legend="Who can create an account"
        choices={signUps}
        chosen={edited.form.signUp}
        onChoose={(signUp) => edited.change({ signUp })}
      />
      <p className="muted">
        New addresses are confirmed by email. Until you <a href="#email">set up email</a>, sign-up
        is closed unless you choose otherwise here.
      </p>
      <p className="muted">
        {formatCount(accounts.accounts, "account")} now, {accounts.verified} with a confirmed
        address. <a href="/admin/members">Members</a>
      </p>
    </SettingForm>
  );
}

/** Who can create an account. */
export function AccountsSection(): ReactElement {
  const accounts = useSetting("accounts");
  return (
    <SettingSection
      id="accounts"
      title="Accounts"
      about="Visitors sign in to see projects for members or invited people. The rest of the site needs no account."
      setting={accounts}
      what="the account settings"
    >
      {(data) => <AccountsEditor accounts={data} />}
    </SettingSection>
  );
}
