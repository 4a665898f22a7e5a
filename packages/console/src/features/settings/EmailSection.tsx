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
  http: "A test mail left by the provider.",
  smtp: "A test mail left by the SMTP server.",
  log: "No way was open: the test mail is only in the log.",
};

function Outcome({ test }: { test: EmailTest }): ReactElement {
  const fine = test.by !== "log" && test.failures.length === 0;
  const isTried = test.by === "log" && test.failures.length > 0;
  const title = isTried ? "Nobody took the test mail." : transportLabels[test.by];
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
  const save = useSaveSetting("email", "The mail settings are saved.");
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
      label="Mail"
      save="Save mail"
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
          Send a test mail
        </Button>
      }
    >
      <EmailFields edited={edited} email={email} />
      <ErrorState what="The test mail was not sent." error={test.error} />
      {test.data && <Outcome test={test.data} />}
    </SettingForm>
  );
}

/** How mail leaves, and where the owner's goes. */
export function EmailSection(): ReactElement {
  const email = useSetting("email");
  return (
    <SettingSection
      id="email"
      title="Mail"
      about="You are told by mail when a preview is ready and no tab is open. A provider goes first, then SMTP; with neither, mail is only written in the log. What waits is tried again for an hour or so."
      setting={email}
      what="The mail settings"
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
