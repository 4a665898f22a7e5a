import "../settings/settings.css";

import { type ReactElement, useEffect, useRef } from "react";

import { PageHeader } from "../../ui/PageHeader.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";
import { useSetup } from "../setup/useSetup.ts";
import { PasswordForm } from "./PasswordForm.tsx";
import { type PasswordView, usePassword } from "./usePassword.ts";

/** The setup while the site is still the sample person's, otherwise the overview. */
function useNextAddress(): string {
  const { data } = useSetup();
  const isNew = data !== undefined && data.sample.files.length > 0;
  return isNew ? "/admin/setup" : "/admin";
}

function FirstPassword({ view, next }: { view: PasswordView; next: string }): ReactElement {
  return (
    <>
      <PasswordForm
        view={view}
        save="Save and continue"
        actions={
          <a className="button" href={next}>
            Skip for now
          </a>
        }
      />
      <p className="muted">
        If you skip this, you sign in with your link again next time. If you lose the link, run{" "}
        <code>vitrine set-admin-token</code> on the server to get a new one. Sessions end after 12
        hours without use.
      </p>
    </>
  );
}

/** Continues once a password was set here, when it no longer counts as unsaved. */
function useNextPage(isSet: boolean | undefined, next: string): void {
  const wasMissing = useRef(false);
  useEffect(() => {
    if (isSet === false) wasMissing.current = true;
    else if (isSet && wasMissing.current) location.assign(next);
  }, [isSet, next]);
}

/** Lets an owner who used a sign-in link set a password. */
export function PasswordPage(): ReactElement {
  const password = usePassword();
  const next = useNextAddress();
  useNextPage(password.data?.isSet, next);
  return (
    <div className="page settings">
      <PageHeader
        title={password.data?.isSet ? "Change password" : "Choose a password"}
        lead="Use this password to sign in to this site from any browser."
      />
      <div className="settings-body narrow">
        <QueryBody
          query={password}
          what="the password"
          skeleton={{ count: 2, shape: "row", label: "Loading…" }}
        >
          {(view) =>
            view.isSet ? (
              <PasswordForm view={view} save="Change password" />
            ) : (
              <FirstPassword view={view} next={next} />
            )
          }
        </QueryBody>
      </div>
    </div>
  );
}
