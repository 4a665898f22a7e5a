import { useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";

import { asClientError } from "../client.ts";
import { Button } from "../components/Button.tsx";
import { ErrorState } from "../components/ErrorState.tsx";
import { Notice } from "../components/Notice.tsx";
import { SaveState } from "../components/SaveState.tsx";
import { Skeleton } from "../components/Skeleton.tsx";
import { bodyOf, formOf, type MailView, missing, names } from "./mail-form.ts";
import { MailFields } from "./MailFields.tsx";
import { DeliveriesSection } from "./DeliveriesSection.tsx";
import { SettingsSection } from "./SettingsSection.tsx";
import { deliveriesKey } from "./useDeliveries.ts";
import { useForm } from "../useForm.ts";
import { type MailTest, useMail, useMailChanges } from "./useSettings.ts";

const ways: Readonly<Record<MailTest["by"], string>> = {
  http: "A test mail left by the provider.",
  smtp: "A test mail left by the SMTP server.",
  log: "No way was open: the test mail is only in the log.",
};

function Outcome({ test }: { test: MailTest }): ReactElement {
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
  const { save, test } = useMailChanges();
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
      <MailFields edited={edited} mail={mail} />
      {edited.refusal && (
        <Notice kind="error" title="It was not saved.">
          {edited.refusal.message}
        </Notice>
      )}
      {test.isError && (
        <Notice kind="error" title="The test mail was not sent.">
          {asClientError(test.error).message}
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
export function MailSection(): ReactElement {
  const mail = useMail();
  return (
    <SettingsSection
      title="Mail"
      about="You are told by mail when a preview is ready and no tab is open. A provider goes first, then SMTP; with neither, mail is only written in the log. What waits is tried again for an hour or so."
    >
      {mail.isPending && (
        <Skeleton count={3} shape="row" label="The mail settings are being read" />
      )}
      {mail.isError && (
        <ErrorState
          what="The mail settings can’t be shown."
          error={mail.error}
          busy={mail.isFetching}
          onRetry={() => void mail.refetch()}
        />
      )}
      {mail.data && <MailEditor mail={mail.data} />}
      {mail.data && <DeliveriesSection />}
    </SettingsSection>
  );
}
