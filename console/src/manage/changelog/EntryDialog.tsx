import { type FormEvent, type ReactElement, useEffect, useId, useState } from "react";

import { asClientError, fieldSentence } from "../client.ts";
import { Button } from "../components/Button.tsx";
import { ConfirmDialog } from "../components/ConfirmDialog.tsx";
import { Dialog } from "../components/Dialog.tsx";
import { Notice } from "../components/Notice.tsx";
import { TextArea } from "../components/TextArea.tsx";
import { TextInput } from "../components/TextInput.tsx";
import { useSite } from "../context.tsx";
import type { Entry } from "../types.ts";
import { useUnloadGuard } from "../useUnloadGuard.ts";
import {
  bounds,
  createBody,
  type EntryForm,
  formOf,
  isChanged,
  knownKinds,
  missing,
  saveBody,
} from "./form.ts";
import { useEntryChanges } from "./useChangelog.ts";

interface FieldsProps {
  form: EntryForm;
  errors: Readonly<Record<string, string>>;
  isNew: boolean;
  set(change: Partial<EntryForm>): void;
}

function Kind(props: FieldsProps): ReactElement {
  const kinds = useId();
  return (
    <>
      <TextInput
        label="Kind"
        name="kind"
        hint="One word. The usual ones are suggested."
        list={kinds}
        maxLength={bounds.kind}
        value={props.form.kind}
        error={fieldSentence(props.errors.kind)}
        onChange={(kind) => props.set({ kind })}
      />
      <datalist id={kinds}>
        {knownKinds.map((kind) => (
          <option key={kind} value={kind} />
        ))}
      </datalist>
    </>
  );
}

function Fields(props: FieldsProps): ReactElement {
  const { form, errors, isNew, set } = props;
  const { ownerName, timeZone } = useSite();
  return (
    <>
      <TextInput
        label="Title"
        name="title"
        autoFocus
        maxLength={bounds.title}
        value={form.title}
        error={fieldSentence(errors.title)}
        onChange={(title) => set({ title })}
      />
      <Kind {...props} />
      <TextArea
        label="Detail"
        name="detail"
        hint="Optional. What else is to be told."
        maxLength={bounds.detail}
        value={form.detail}
        error={fieldSentence(errors.detail)}
        onChange={(detail) => set({ detail })}
      />
      <TextInput
        label="Time"
        name="at"
        type="datetime-local"
        hint={`By the site’s clock (${timeZone}).${isNew ? " Empty is now." : ""}`}
        value={form.at}
        error={fieldSentence(errors.at)}
        onChange={(at) => set({ at })}
      />
      <TextInput
        label="Who made it"
        name="actor"
        hint={`Empty is ${ownerName}.`}
        maxLength={bounds.actor}
        value={form.actor}
        error={fieldSentence(errors.actor)}
        onChange={(actor) => set({ actor })}
      />
    </>
  );
}

/** The form's state: what is typed, what is wrong with it, and saving it. */
function useEntryForm(entry: Entry | null, onSaved: () => void) {
  const { timeZone } = useSite();
  const { save } = useEntryChanges();
  const [before] = useState(() => formOf(entry, timeZone));
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
    set(change: Partial<EntryForm>): void {
      setForm({ ...form, ...change });
      setLacks({});
    },
    submit(event: FormEvent): void {
      event.preventDefault();
      if (save.isPending) return;
      const found = missing(form);
      setLacks(found);
      if (Object.keys(found).length > 0) return;
      const body = entry ? saveBody(entry, form, timeZone) : createBody(form, timeZone);
      save.mutate(body, { onSuccess: onSaved });
    },
  };
}

/** Adds an entry, or corrects the one that is given. What was typed is not lost by a key. */
export function EntryDialog(props: { entry: Entry | null; onClose(): void }): ReactElement {
  const { entry, onClose } = props;
  const formId = useId();
  const { form, errors, changed, busy, refusal, set, submit } = useEntryForm(entry, onClose);
  const [asking, setAsking] = useState(false);
  const leave = (): void => (changed && !busy ? setAsking(true) : onClose());
  return (
    <Dialog
      title={entry ? "Correct an entry" : "Add an entry"}
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
        <Fields form={form} errors={errors} isNew={entry === null} set={set} />
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
