import type { ReactElement } from "react";

import { useForm } from "../forms/useForm.ts";
import { SettingForm } from "./SettingForm.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { type ChangelogView, useSaveSetting, useSetting } from "./useSettings.ts";

const events = [
  ["published", "Publishing a project"],
  ["changed", "Changing a published project (changes within an hour share one entry)"],
  ["unpublished", "Unpublishing or deleting a project"],
] as const;

function ChangelogEditor({ changelog }: { changelog: ChangelogView }): ReactElement {
  const save = useSaveSetting("changelog", "Changelog settings saved.");
  const edited = useForm({
    before: changelog,
    saving: save,
    check: () => ({}),
    save: (form) => save.mutate(form),
  });
  return (
    <SettingForm edited={edited} label="Changelog" save="Save changelog settings">
      {events.map(([event, label]) => (
        <label key={event} className="check">
          <input
            type="checkbox"
            name={event}
            checked={edited.form[event]}
            onChange={(change) => edited.change({ ...edited.form, [event]: change.target.checked })}
          />
          <span>{label}</span>
        </label>
      ))}
    </SettingForm>
  );
}

/** Which changes to projects are added to the changelog. */
export function ChangelogSection(): ReactElement {
  const changelog = useSetting("changelog");
  return (
    <SettingSection
      id="changelog"
      title="Changelog"
      about="Choose which changes add an entry from now on. Drafts and projects with limited access never do."
      setting={changelog}
      what="the changelog"
    >
      {(data) => <ChangelogEditor changelog={data} />}
    </SettingSection>
  );
}
