import type { ReactElement } from "react";

import { asApiError } from "../../api/client.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { SaveState } from "../../ui/SaveState.tsx";
import { useForm } from "../shared/useForm.ts";
import { SettingBody } from "./SettingBody.tsx";
import { SettingsSection } from "./SettingsSection.tsx";
import { limitLabel } from "./site-forms.ts";
import { type AutofixView, useSaveSetting, useSetting, useTestSetting } from "./useSiteSettings.ts";

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
    <form ref={edited.element} noValidate onSubmit={edited.submit} aria-label="QA autofix">
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
      {edited.refusal && (
        <Notice kind="error" title="It was not saved.">
          {edited.refusal.message}
        </Notice>
      )}
      {test.isError && (
        <Notice kind="error" title="It can’t be counted.">
          {asApiError(test.error).message}
        </Notice>
      )}
      {test.data && (
        <Notice kind="info" title={limitLabel(test.data)}>
          {autofix.enabled
            ? "They go there after the next pass, unless it finds them mended."
            : "Autofix is off: none goes there by itself."}
        </Notice>
      )}
      <div className="actions">
        <Button
          variant="primary"
          type="submit"
          busy={save.isPending}
          disabled={autofix.variable !== null}
        >
          Save autofix
        </Button>
        <Button busy={test.isPending} onClick={() => test.mutate({})}>
          Count what is due
        </Button>
        <SaveState status={edited.status} />
      </div>
    </form>
  );
}

/** Whether QA mends unasked. */
export function AutofixSection(): ReactElement {
  const autofix = useSetting("autofix");
  return (
    <SettingsSection
      id="autofix"
      title="QA autofix"
      about="What QA finds can become tasks by itself, at most five after a pass. Each is built and checked like any other task."
    >
      <SettingBody query={autofix} what="QA autofix">
        {(data) => <AutofixEditor autofix={data} />}
      </SettingBody>
    </SettingsSection>
  );
}
