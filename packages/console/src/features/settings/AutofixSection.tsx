import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { useForm } from "../forms/useForm.ts";
import { SettingForm } from "./SettingForm.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { limitLabel } from "./site-forms.ts";
import { type AutofixView, useSaveSetting, useSetting, useTestSetting } from "./useSettings.ts";

/** Where the value comes from, unless it was saved here. */
function AutofixSource({ autofix }: { autofix: AutofixView }): ReactElement | null {
  if (autofix.variable !== null) {
    return (
      <p className="muted">
        Set by the environment variable <code>{autofix.variable}</code>. To change it here, unset
        the variable and restart Vitrine.
      </p>
    );
  }
  if (autofix.from !== "file") return null;
  return <p className="muted">Set in vitrine.json. Save it here to override that.</p>;
}

function AutofixEditor({ autofix }: { autofix: AutofixView }): ReactElement {
  const save = useSaveSetting("autofix", "QA autofix saved.");
  const test = useTestSetting("autofix");
  const edited = useForm({
    before: { enabled: autofix.enabled },
    saving: save,
    check: () => ({}),
    save: (form) => save.mutate(form),
  });
  return (
    <SettingForm
      edited={edited}
      label="QA autofix"
      save="Save autofix"
      inert={autofix.variable !== null}
      actions={
        <Button busy={test.isPending} onClick={() => test.mutate({})}>
          Preview queue
        </Button>
      }
    >
      <label className="check">
        <input
          type="checkbox"
          name="enabled"
          checked={edited.form.enabled}
          disabled={autofix.variable !== null}
          onChange={(event) => edited.change({ enabled: event.target.checked })}
        />
        <span>Queue safe fixes automatically after each QA run</span>
      </label>
      <AutofixSource autofix={autofix} />
      <ErrorState what="Couldn’t preview the queue." error={test.error} />
      {test.data && (
        <Notice kind="info" title={limitLabel(test.data)}>
          {autofix.enabled
            ? "They’ll be queued after the next QA run unless they’re fixed by then."
            : "QA autofix is off, so nothing is queued automatically."}
        </Notice>
      )}
    </SettingForm>
  );
}

/** Whether QA queues fixes automatically. */
export function AutofixSection(): ReactElement {
  const autofix = useSetting("autofix");
  return (
    <SettingSection
      id="autofix"
      title="QA autofix"
      about="QA can queue safe fixes automatically, at most five after each run. Each one is built and checked like any other task."
      setting={autofix}
      what="QA autofix"
    >
      {(data) => <AutofixEditor autofix={data} />}
    </SettingSection>
  );
}
