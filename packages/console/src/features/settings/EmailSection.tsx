import { useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";

import { asApiError } from "../../api/client.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { SaveState } from "../../ui/SaveState.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { QueryError } from "../shared/QueryError.tsx";
import { useForm } from "../shared/useForm.ts";
import { DeliveriesSection } from "./DeliveriesSection.tsx";
import { bodyOf, formOf, type MailView, missing, names } from "./email-form.ts";
import { EmailFields } from "./EmailFields.tsx";
import { SettingsSection } from "./SettingsSection.tsx";
import { deliveriesKey } from "./useDeliveries.ts";
import { type EmailTest, useEmailSettings, useEmailChanges } from "./useSettings.ts";

const ways: Readonly<Record<EmailTest["by"], string>> = {
  http: "A test mail left by the provider.",
  smtp: "A test mail left by the SMTP server.",
  log: "No way was open: the test mail is only in the log.",
};

function Outcome({ test }: { test: EmailTest }): ReactElement {
  const fine = test.by !== "log" && test.failures.length === 0;
  const isTried = test.by === "log" && test.failures.length > 0;
  const title = isTried ? "Nobody took the test mail." : ways[test.by];
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

function MailEditor({ mail }: { mail: MailView }): ReactElement {
  const { save, test } = useEmailChanges();
  const queries = useQueryClient();
  const edited = useForm({
    before: formOf(mail),
    saving: save,
    names,
    check: missing,
    save(form) {
      test.reset();
      save.mutate(bodyOf(form));
    },
  });
  return (
    <form ref={edited.element} noValidate onSubmit={edited.submit} aria-label="Mail">
      <EmailFields edited={edited} mail={mail} />
      {edited.refusal && (
        <Notice kind="error" title="It was not saved.">
          {edited.refusal.message}
        </Notice>
      )}
      {test.isError && (
        <Notice kind="error" title="The test mail was not sent.">
          {asApiError(test.error).message}
        </Notice>
      )}
      {test.data && <Outcome test={test.data} />}
      <div className="actions">
        <Button look="primary" type="submit" busy={save.isPending}>
          Save mail
        </Button>
        <Button
          busy={test.isPending}
          inert={edited.changed || mail.to === null}
          onClick={() =>
            test.mutate(undefined, {
              onSettled: () => queries.invalidateQueries({ queryKey: deliveriesKey }),
            })
          }
        >
          Send a test mail
        </Button>
        <SaveState status={edited.status} />
      </div>
    </form>
  );
}

/** How mail leaves, and where the owner's goes. */
export function EmailSection(): ReactElement {
  const mail = useEmailSettings();
  return (
    <SettingsSection
      title="Mail"
      about="You are told by mail when a preview is ready and no tab is open. A provider goes first, then SMTP; with neither, mail is only written in the log. What waits is tried again for an hour or so."
    >
      {mail.isPending && (
        <Skeleton count={3} shape="row" label="The mail settings are being read" />
      )}
      {mail.isError && <QueryError what="The mail settings" query={mail} />}
      {mail.data && <MailEditor mail={mail.data} />}
      {mail.data && <DeliveriesSection />}
    </SettingsSection>
  );
}
