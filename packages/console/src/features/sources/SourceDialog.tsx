import type { ReactElement } from "react";

import { Select } from "../../ui/Select.tsx";
import { TextArea } from "../../ui/TextArea.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { FormDialog } from "../forms/FormDialog.tsx";
import { type EditedForm, useForm } from "../forms/useForm.ts";
import { bounds, formOf, kinds, missing, type Source, type SourceForm } from "./form.ts";
import { useSourceChanges } from "./useSources.ts";

function Fields(props: { edited: EditedForm<SourceForm> }): ReactElement {
  const { field } = props.edited;
  return (
    <>
      <TextInput label="Name" {...field("title")} autoFocus maxLength={bounds.title} />
      <Select label="For" {...field("agent")} options={kinds} />
      <TextInput
        label="Address"
        {...field("url")}
        inputMode="url"
        hint="Optional. Agents see the address, not the page itself."
        maxLength={bounds.url}
      />
      <TextArea
        label="What to follow"
        {...field("notes")}
        hint="In your own words: what matters, and what never to do."
        maxLength={bounds.notes}
      />
    </>
  );
}

/** Adds a source, or edits a given one. */
export function SourceDialog(props: { source: Source | null; onClose(): void }): ReactElement {
  const { source, onClose } = props;
  const { save } = useSourceChanges();
  const edited = useForm({
    before: formOf(source),
    saving: save,
    check: missing,
    save: (form) =>
      save.mutate({ ...form, ...(source && { id: source.id }) }, { onSuccess: onClose }),
  });
  return (
    <FormDialog title={source ? "Edit a source" : "Add a source"} edited={edited} onClose={onClose}>
      <Fields edited={edited} />
    </FormDialog>
  );
}
