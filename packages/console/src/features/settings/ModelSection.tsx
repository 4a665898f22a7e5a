import { type ReactElement, useState } from "react";

import type { TestedModel } from "../../../../server/src/features/agent/schema.ts";
import { asApiError } from "../../api/client.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { SaveState } from "../../ui/SaveState.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";
import { Time } from "../time/Time.tsx";
import { useForm } from "../forms/useForm.ts";
import { bodyOf, formOf, missing, type ModelView, nothing } from "./model-form.ts";
import { ModelFields } from "./ModelFields.tsx";
import { SettingForm } from "./SettingForm.tsx";
import { SettingsSection } from "./SettingsSection.tsx";
import { useModelChanges, useSetting } from "./useSettings.ts";

function Ability(props: { can: boolean; words: string }): ReactElement {
  return (
    <li data-can={props.can}>
      <Icon name={props.can ? "check" : "cross"} />
      <span>{props.words}</span>
    </li>
  );
}

function Abilities({ able }: { able: NonNullable<ModelView["abilities"]> }): ReactElement {
  return (
    <ul className="abilities" aria-label="What the model can do">
      <Ability can words="Answers" />
      <Ability
        can={able.tools}
        words={
          able.tools
            ? "Calls tools, so it can change the site"
            : "Can’t call tools, so it can answer questions but not change the site"
        }
      />
      <Ability
        can={able.images}
        words={able.images ? "Sees images" : "Can’t see images, so they’re left out"}
      />
    </ul>
  );
}

/** The selected model, and its tested abilities. */
function InUse({ model }: { model: ModelView }): ReactElement {
  if (model.from === null) {
    return <p>No model is set up. Simple edits such as “replace A with B” work without one.</p>;
  }
  return (
    <div className="in-use">
      <p>
        In use: <b>{model.id}</b> <span className="muted">({model.provider})</span>
        {model.from === "file" && <span className="muted">, from vitrine.json</span>}
      </p>
      {model.abilities ? (
        <>
          <Abilities able={model.abilities} />
          <p className="muted">
            Tested <Time iso={model.abilities.testedAt} />
          </p>
        </>
      ) : (
        <p className="muted">It hasn’t been tested yet.</p>
      )}
    </div>
  );
}

function TestNotice({ test }: { test: TestedModel["test"] }): ReactElement {
  if (test.notes.length === 0) {
    return <Notice kind="info">It answers, calls tools and sees images.</Notice>;
  }
  return (
    <Notice kind="warn" title="It responds but has limits.">
      <ul>
        {test.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Notice>
  );
}

function ClearModel(props: {
  clear: ReturnType<typeof useModelChanges>["clear"];
  onClose(): void;
}): ReactElement {
  const { clear, onClose } = props;
  return (
    <ConfirmDialog
      danger
      question="Remove the model and its key?"
      yes="Remove"
      busy={clear.isPending}
      error={clear.isError ? asApiError(clear.error).message : null}
      onNo={onClose}
      onYes={() => clear.mutate(undefined, { onSuccess: onClose })}
    >
      <p>The agents then use the model in vitrine.json, or none.</p>
    </ConfirmDialog>
  );
}

function ModelActions(props: {
  model: ModelView;
  saving: boolean;
  testing: boolean;
  changed: boolean;
  onTest(): void;
  onForget(): void;
}): ReactElement {
  const { model, saving, testing, changed } = props;
  return (
    <>
      {model.from !== null && (
        <Button busy={testing} inert={saving || changed} onClick={props.onTest}>
          Test again
        </Button>
      )}
      {(model.from === "settings" || model.keySet) && (
        <Button variant="bare" icon="trash" inert={saving || testing} onClick={props.onForget}>
          Remove
        </Button>
      )}
    </>
  );
}

function ModelEditor({ model }: { model: ModelView }): ReactElement {
  const { save, test, clear } = useModelChanges();
  const [asking, setAsking] = useState(false);
  const edited = useForm({
    before: formOf(model),
    saving: save,
    check: (form) => missing(form, model),
    save(form) {
      test.reset();
      save.mutate(bodyOf(form, model));
    },
  });
  const shown = test.data ?? save.data;
  const waiting = save.isPending || test.isPending;
  return (
    <>
      <InUse model={model} />
      <SettingForm
        edited={edited}
        label="Model"
        save="Save and test"
        inert={test.isPending}
        refused="Nothing was changed."
        actions={
          <ModelActions
            model={model}
            saving={save.isPending}
            testing={test.isPending}
            changed={edited.changed}
            onTest={() => {
              save.reset();
              test.mutate();
            }}
            onForget={() => setAsking(true)}
          />
        }
        state={
          <SaveState
            status={edited.changed ? "changed" : "clean"}
            {...(waiting && { text: "Testing the model. This takes up to a minute…" })}
          />
        }
      >
        <ModelFields edited={edited} model={model} />
        <ErrorState what="The test failed." error={test.error} />
        {shown && !test.isError && !edited.changed && <TestNotice test={shown.test} />}
      </SettingForm>
      {asking && <ClearModel clear={clear} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Which model the agents use. */
export function ModelSection(): ReactElement {
  const model = useSetting("model");
  const damaged = model.isError && asApiError(model.error).code === "unavailable";
  return (
    <SettingsSection
      id="model"
      title="Model"
      about="The model the agents use. It’s tested before it’s saved, and nothing changes until it responds."
    >
      <QueryBody
        query={model}
        what="the model"
        skeleton={{ count: 3, shape: "row", label: "Loading model…" }}
      >
        {(data) => <ModelEditor model={data} />}
      </QueryBody>
      {damaged && !model.data && <ModelEditor model={nothing} />}
    </SettingsSection>
  );
}
