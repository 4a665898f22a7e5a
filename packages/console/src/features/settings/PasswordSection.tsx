import type { ReactElement } from "react";

import { PasswordForm } from "../password/PasswordForm.tsx";
import { usePassword } from "../password/usePassword.ts";
import { SettingSection } from "./SettingsSection.tsx";

/** Sets or changes the admin password. */
export function PasswordSection(): ReactElement {
  const password = usePassword();
  return (
    <SettingSection
      id="password"
      title="Password"
      about="Use this password to sign in to these pages. Changing it signs you out everywhere else."
      setting={password}
      what="the password"
    >
      {(view) => (
        <>
          {!view.isSet && (
            <p className="muted">
              No password has been chosen yet, so you sign in with a link from{" "}
              <code>vitrine set-admin-token</code>.
            </p>
          )}
          <PasswordForm view={view} save={view.isSet ? "Change password" : "Save password"} />
        </>
      )}
    </SettingSection>
  );
}
