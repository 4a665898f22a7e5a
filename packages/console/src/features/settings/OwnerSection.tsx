import type { ReactElement } from "react";

import { asApiError } from "../../api/client.ts";
import { namedSentences } from "../../api/field-errors.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { type EditedForm, useForm } from "../forms/useForm.ts";
import { TimeZoneInput } from "../time/TimeZoneInput.tsx";
import { SettingForm } from "./SettingForm.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { SiteName } from "./SiteName.tsx";
import { missingOwner, type OwnerForm, ownerForm } from "./site-forms.ts";
import { type OwnerView, useSaveSetting, useSetting, useTestSetting } from "./useSettings.ts";

const ownerLabels = { name: "Name", timeZone: "Time zone" } as const;

function Fields({ edited }: { edited: EditedForm<OwnerForm> }): ReactElement {
  const { field } = edited;
  return (
    <div className="settings-row wide">
      <TextInput
        label={ownerLabels.name}
        {...field("name")}
        hint="A person or a studio."
        maxLength={120}
      />
      <TimeZoneInput label={ownerLabels.timeZone} {...field("timeZone")} />
    </div>
  );
}

function OwnerEditor({ owner }: { owner: OwnerView }): ReactElement {
  const save = useSaveSetting("owner", "Site owner saved.");
  const test = useTestSetting("owner");
  const edited = useForm({
    before: ownerForm(owner),
    saving: save,
    check: missingOwner,
    save(form) {
      test.reset();
      save.mutate(form);
    },
  });
  const failed = test.isError ? asApiError(test.error) : null;
  return (
    <SettingForm
      edited={edited}
      label="Site owner"
      save="Save owner"
      actions={
        <Button busy={test.isPending} onClick={() => test.mutate(edited.form)}>
          Preview
        </Button>
      }
    >
      <Fields edited={edited} />
      {owner.from === "file" && (
        <p className="muted">Set in vitrine.json. Save it here to override that.</p>
      )}
      {save.isSuccess && !edited.changed && (
        <Notice kind="info">
          The site is being rebuilt. Reload this page to update its own header and times.
        </Notice>
      )}
      {!edited.changed && <SiteName ownerName={owner.name} />}
      {failed && (
        <Notice kind="error" title="These values can’t be used.">
          {namedSentences(failed.fields, ownerLabels).join(" ") || failed.message}
        </Notice>
      )}
      {test.data && (
        <Notice kind="info" title={test.data.name}>
          <p>The time there is {test.data.now}.</p>
        </Notice>
      )}
    </SettingForm>
  );
}

/** The site's owner and time zone. */
export function OwnerSection(): ReactElement {
  const owner = useSetting("owner");
  return (
    <SettingSection
      id="owner"
      title="Site owner"
      about="The name shown in emails, in these pages and in the history, and the time zone for dates and times, including those on the site. What your pages say about you is part of their content."
      setting={owner}
      what="the site owner"
    >
      {(data) => <OwnerEditor owner={data} />}
    </SettingSection>
  );
}
