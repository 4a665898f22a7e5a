import { type ReactElement, useId } from "react";

import { asApiError } from "../../api/client.ts";
import { namedSentences } from "../../api/field-errors.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { type EditedForm, useForm } from "../forms/useForm.ts";
import { SettingForm } from "./SettingForm.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { missingOwner, type OwnerForm, ownerForm } from "./site-forms.ts";
import { type OwnerView, useSaveSetting, useSetting, useTestSetting } from "./useSettings.ts";

const ownerLabels = { name: "Name", timeZone: "Time zone" } as const;
const zones = Intl.supportedValuesOf("timeZone");

function Fields({ edited }: { edited: EditedForm<OwnerForm> }): ReactElement {
  const list = useId();
  const { field } = edited;
  return (
    <div className="settings-row wide">
      <TextInput
        label={ownerLabels.name}
        {...field("name")}
        hint="Of a person or a studio."
        maxLength={120}
      />
      <TextInput
        label={ownerLabels.timeZone}
        {...field("timeZone")}
        hint="Such as Europe/Stockholm."
        list={list}
      />
      <datalist id={list}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </div>
  );
}

function OwnerEditor({ owner }: { owner: OwnerView }): ReactElement {
  const save = useSaveSetting("owner", "The site owner is saved.");
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
          See how it is shown
        </Button>
      }
    >
      <Fields edited={edited} />
      {owner.from === "file" && (
        <p className="muted">As vitrine.json says, until it is saved here.</p>
      )}
      {save.isSuccess && !edited.changed && (
        <Notice kind="info">
          The site is being built anew with it. This page’s own header and times follow when it is
          loaded again.
        </Notice>
      )}
      {failed && (
        <Notice kind="error" title="It can’t be shown like that.">
          {namedSentences(failed.fields, ownerLabels).join(" ") || failed.message}
        </Notice>
      )}
      {test.data && (
        <Notice kind="info" title={test.data.name}>
          <p>It is {test.data.now} there.</p>
        </Notice>
      )}
    </SettingForm>
  );
}

/** Whose site it is, and by whose clock. */
export function OwnerSection(): ReactElement {
  const owner = useSetting("owner");
  return (
    <SettingSection
      id="owner"
      title="Site owner"
      about="The name that mails, these pages and the history carry, and the clock that days and times go by, on the site, too. What the site’s pages say of you is in their content."
      setting={owner}
      what="The site owner"
    >
      {(data) => <OwnerEditor owner={data} />}
    </SettingSection>
  );
}
