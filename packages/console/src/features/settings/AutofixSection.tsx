import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { ErrorState } from "../shared/ErrorState.tsx";
import { useForm } from "../shared/useForm.ts";
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
  return <p className="muted">As vitrine.json says, until it is saved here.</p>;
}

function AutofixEditor({ autofix }: { autofix: AutofixView }): ReactElement {
  const save = useSaveSetting("autofix", "QA autofix is saved.");
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
          Count what is due
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
        <span>Give findings with one clear repair to the queue after each pass</span>
      </label>
      <AutofixSource autofix={autofix} />
      <ErrorState what="It can’t be counted." error={test.error} />
      {test.data && (
        <Notice kind="info" title={limitLabel(test.data)}>
          {autofix.enabled
            ? "They go there after the next pass, unless it finds them mended."
            : "Autofix is off: none goes there by itself."}
        </Notice>
      )}
    </SettingForm>
  );
}

/** Whether QA mends unasked. */
export function AutofixSection(): ReactElement {
  const autofix = useSetting("autofix");
  return (
    <SettingSection
      id="autofix"
      title="QA autofix"
      about="What QA finds can become tasks by itself, at most five after a pass. Each is built and checked like any other task."
      setting={autofix}
      what="QA autofix"
    >
      {(data) => <AutofixEditor autofix={data} />}
    </SettingSection>
  );
}
