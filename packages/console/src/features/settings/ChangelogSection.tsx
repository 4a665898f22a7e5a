import type { ReactElement } from "react";

import { useForm } from "../shared/useForm.ts";
import { SettingForm } from "./SettingForm.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { type ChangelogView, useSaveSetting, useSetting } from "./useSettings.ts";

const events = [
  ["published", "A project is published"],
  ["changed", "A published project is changed; changes within an hour are one entry"],
  ["unpublished", "A project is unpublished or deleted"],
] as const;

function ChangelogEditor({ changelog }: { changelog: ChangelogView }): ReactElement {
  const save = useSaveSetting("changelog", "The changelog’s settings are saved.");
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

/** Which changes of projects the changelog tells by itself. */
export function ChangelogSection(): ReactElement {
  const changelog = useSetting("changelog");
  return (
    <SettingSection
      id="changelog"
      title="Changelog"
      about="What adds an entry by itself, from now on. Drafts and projects that only some people may see never do."
      setting={changelog}
      what="The changelog"
    >
      {(data) => <ChangelogEditor changelog={data} />}
    </SettingSection>
  );
}
