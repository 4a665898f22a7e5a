import { useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { useForm } from "../forms/useForm.ts";
import { DeliveriesSection } from "./DeliveriesSection.tsx";
import { bodyOf, formOf, type EmailView, missing, names } from "./email-form.ts";
import { EmailFields } from "./EmailFields.tsx";
import { SettingForm } from "./SettingForm.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { deliveriesKey } from "./useDeliveries.ts";
import { type EmailTest, useSaveSetting, useSetting, useTestSetting } from "./useSettings.ts";

const transportLabels: Readonly<Record<EmailTest["by"], string>> = {
  http: "The provider accepted the test email.",
  smtp: "The SMTP server accepted the test email.",
  log: "No email provider is set up, so the test email was written to the log.",
};

function Outcome({ test }: { test: EmailTest }): ReactElement {
  const fine = test.by !== "log" && test.failures.length === 0;
  const isTried = test.by === "log" && test.failures.length > 0;
  const title = isTried ? "Couldn’t deliver the test email." : transportLabels[test.by];
  return (
    <Notice kind={fine ? "info" : "warn"} title={title}>
      {test.failures.length > 0 && (
        <ul>
          {test.failures.map((failure) => (
            <li key={failure}>{failure}</li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

function EmailEditor({ email }: { email: EmailView }): ReactElement {
  const save = useSaveSetting("email", "Email settings saved.");
  const test = useTestSetting("email");
  const queries = useQueryClient();
  const edited = useForm({
    before: formOf(email),
    saving: save,
    names,
    check: missing,
    save(form) {
      test.reset();
      save.mutate(bodyOf(form));
    },
  });
  return (
    <SettingForm
      edited={edited}
      label="Email"
      save="Save email settings"
      actions={
        <Button
          busy={test.isPending}
          inert={edited.changed || email.to === null}
          onClick={() =>
            test.mutate(
              {},
              { onSettled: () => queries.invalidateQueries({ queryKey: deliveriesKey }) },
            )
          }
        >
          Send test email
        </Button>
      }
    >
      <EmailFields edited={edited} email={email} />
      <ErrorState what="Couldn’t send the test email." error={test.error} />
      {test.data && <Outcome test={test.data} />}
    </SettingForm>
  );
}

/** How email is sent, and where the owner's goes. */
export function EmailSection(): ReactElement {
  const email = useSetting("email");
  return (
    <SettingSection
      id="email"
      title="Email"
      about="Vitrine emails you when a preview is ready and you have no tab open. It tries the provider first, then SMTP, and retries for about an hour. With neither, emails are only written to the log."
      setting={email}
      what="the email settings"
    >
      {(data) => (
        <>
          <EmailEditor email={data} />
          <DeliveriesSection />
        </>
      )}
    </SettingSection>
  );
}
