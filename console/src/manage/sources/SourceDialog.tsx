import { type FormEvent, type ReactElement, useEffect, useId, useState } from "react";

import { asClientError, fieldSentence } from "../client.ts";
import { Button } from "../components/Button.tsx";
import { ConfirmDialog } from "../components/ConfirmDialog.tsx";
import { Dialog } from "../components/Dialog.tsx";
import { Notice } from "../components/Notice.tsx";
import { Select } from "../components/Select.tsx";
import { TextArea } from "../components/TextArea.tsx";
import { TextInput } from "../components/TextInput.tsx";
import { useUnloadGuard } from "../useUnloadGuard.ts";
import { bounds, formOf, isChanged, kinds, missing, type Source, type SourceForm } from "./form.ts";
import { useSourceChanges } from "./useSources.ts";

function Fields(props: {
  form: SourceForm;
  errors: Readonly<Record<string, string>>;
  set(change: Partial<SourceForm>): void;
}): ReactElement {
  const { form, errors, set } = props;
  return (
    <>
      <TextInput
        label="Name"
        name="title"
        autoFocus
        maxLength={bounds.title}
        value={form.title}
        error={fieldSentence(errors.title)}
        onChange={(title) => set({ title })}
      />
      <Select
        label="For"
        name="agent"
        value={form.agent}
        options={kinds}
        error={fieldSentence(errors.agent)}
        onChange={(agent) => set({ agent })}
      />
      <TextInput
        label="Address"
        name="url"
        inputMode="url"
        hint="Optional. Agents see the address, not the page behind it."
        maxLength={bounds.url}
        value={form.url}
        error={fieldSentence(errors.url)}
        onChange={(url) => set({ url })}
      />
      <TextArea
        label="What to go by"
        name="notes"
        hint="In your words: what matters, what never to do."
        maxLength={bounds.notes}
        value={form.notes}
        error={fieldSentence(errors.notes)}
        onChange={(notes) => set({ notes })}
      />
    </>
  );
}

/** The form's state: what is typed, what is wrong with it, and saving it. */
function useSourceForm(source: Source | null, onSaved: () => void) {
  const { save } = useSourceChanges();
  const [before] = useState(() => formOf(source));
  const [form, setForm] = useState(before);
  const [lacks, setLacks] = useState<Record<string, string>>({});
  const refusal = save.isError ? asClientError(save.error) : null;
  const errors = { ...refusal?.fields, ...lacks };
  const changed = isChanged(form, before);
  const atField = Object.keys(before).some((name) => errors[name]);
  useUnloadGuard(changed);
  useEffect(() => {
    if (atField) document.querySelector<HTMLElement>("dialog [aria-invalid]")?.focus();
  }, [atField, lacks, save.submittedAt, save.isError]);
  return {
    form,
    errors,
    changed,
    busy: save.isPending,
    /** A refusal that belongs to none of the fields. */
    refusal: atField ? null : refusal,
    set(change: Partial<SourceForm>): void {
      setForm({ ...form, ...change });
      setLacks({});
    },
    submit(event: FormEvent): void {
      event.preventDefault();
      if (save.isPending) return;
      const found = missing(form);
      setLacks(found);
      if (Object.keys(found).length > 0) return;
      save.mutate({ ...form, ...(source && { id: source.id }) }, { onSuccess: onSaved });
    },
  };
}

/** Adds a source, or changes the one that is given. What was typed is not lost by a key. */
export function SourceDialog(props: { source: Source | null; onClose(): void }): ReactElement {
  const { source, onClose } = props;
  const formId = useId();
  const { form, errors, changed, busy, refusal, set, submit } = useSourceForm(source, onClose);
  const [asking, setAsking] = useState(false);
  const leave = (): void => (changed && !busy ? setAsking(true) : onClose());
  return (
    <Dialog
      title={source ? "Change a source" : "Add a source"}
      onClose={leave}
      actions={
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button look="primary" type="submit" form={formId} busy={busy}>
            Save
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit}>
        <Fields form={form} errors={errors} set={set} />
        {refusal && (
          <Notice kind="error" title="It was not saved.">
            {refusal.message}
          </Notice>
        )}
      </form>
      {asking && (
        <ConfirmDialog
          danger
          question="Throw away what you typed?"
          yes="Throw away"
          no="Keep editing"
          busy={false}
          onYes={onClose}
          onNo={() => setAsking(false)}
        />
      )}
    </Dialog>
  );
}
