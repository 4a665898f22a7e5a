import { type ReactElement, type RefObject, useId, useRef } from "react";

import { useSite } from "../../api/context.tsx";
import type { Entry } from "../../api/types.ts";
import { TextArea } from "../../ui/TextArea.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { FormDialog } from "../forms/FormDialog.tsx";
import { type EditedForm, useForm } from "../forms/useForm.ts";
import {
  bounds,
  createBody,
  type EntryForm,
  formOf,
  knownKinds,
  missing,
  saveBody,
} from "./form.ts";
import { useEntryChanges } from "./useChangelog.ts";

function Kind({ edited }: { edited: EditedForm<EntryForm> }): ReactElement {
  const { field } = edited;
  const kinds = useId();
  return (
    <>
      <TextInput
        label="Kind"
        {...field("kind")}
        hint="One word, such as one of the suggestions."
        list={kinds}
        maxLength={bounds.kind}
      />
      <datalist id={kinds}>
        {knownKinds.map((kind) => (
          <option key={kind} value={kind} />
        ))}
      </datalist>
    </>
  );
}

function Fields(props: {
  edited: EditedForm<EntryForm>;
  isNew: boolean;
  time: RefObject<HTMLInputElement | null>;
}): ReactElement {
  const { edited, isNew } = props;
  const { field } = edited;
  const { ownerName, timeZone } = useSite();
  return (
    <>
      <TextInput label="Title" {...field("title")} autoFocus maxLength={bounds.title} />
      <Kind edited={edited} />
      <TextArea
        label="Detail"
        {...field("detail")}
        hint="Optional. Anything else visitors should know."
        maxLength={bounds.detail}
      />
      <TextInput
        label="Time"
        {...field("at")}
        type="datetime-local"
        ref={props.time}
        hint={`In the site’s time zone (${timeZone}). Leave blank ${isNew ? "for the current time" : "to keep the time"}.`}
      />
      <TextInput
        label="Made by"
        {...field("actor")}
        hint={`Leave blank for ${ownerName}.`}
        maxLength={bounds.actor}
      />
    </>
  );
}

/** Adds an entry, or edits a given one. */
export function EntryDialog(props: { entry: Entry | null; onClose(): void }): ReactElement {
  const { entry, onClose } = props;
  const { timeZone } = useSite();
  const { save } = useEntryChanges();
  const time = useRef<HTMLInputElement>(null);
  const edited = useForm({
    before: formOf(entry, timeZone),
    saving: save,
    // To the form, an incomplete date is empty.
    check: (form) => missing(form, time.current?.validity.badInput ?? false),
    save: (form) =>
      save.mutate(entry ? saveBody(entry, form, timeZone) : createBody(form, timeZone), {
        onSuccess: onClose,
      }),
  });
  return (
    <FormDialog title={entry ? "Edit an entry" : "Add an entry"} edited={edited} onClose={onClose}>
      <Fields edited={edited} isNew={entry === null} time={time} />
    </FormDialog>
  );
}
