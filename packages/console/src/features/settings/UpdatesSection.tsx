import type { ReactElement } from "react";

import { useForm } from "../forms/useForm.ts";
import { SettingForm } from "./SettingForm.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { type UpdatesView, useSaveSetting, useSetting } from "./useSettings.ts";

function UpdatesEditor({ updates }: { updates: UpdatesView }): ReactElement {
  const save = useSaveSetting("updates", "Update settings saved.");
  const edited = useForm({
    before: updates,
    saving: save,
    check: () => ({}),
    save: (form) => save.mutate(form),
  });
  return (
    <SettingForm edited={edited} label="Updates" save="Save update settings">
      <label className="check">
        <input
          type="checkbox"
          name="check"
          checked={edited.form.check}
          onChange={(change) => edited.change({ check: change.target.checked })}
        />
        <span>Check for newer versions of Vitrine once a day</span>
      </label>
    </SettingForm>
  );
}

/** Whether the overview says when there is a newer version. */
export function UpdatesSection(): ReactElement {
  const updates = useSetting("updates");
  return (
    <SettingSection
      id="updates"
      title="Updates"
      about="Vitrine checks where it was installed from, and the overview tells you if there’s a newer version. To install it, run “vitrine upgrade” on the server."
      setting={updates}
      what="the update settings"
    >
      {(data) => <UpdatesEditor updates={data} />}
    </SettingSection>
  );
}
