import type { ReactElement } from "react";

import type { TargetKind } from "../../../../server/src/features/publish-targets/schema.ts";
import { Select } from "../../ui/Select.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { FormDialog } from "../forms/FormDialog.tsx";
import { useForm } from "../forms/useForm.ts";
import { TargetFields } from "./TargetFields.tsx";
import { missingTarget, newTarget, targetBody, targetForm, targetNames } from "./target-form.ts";
import { addLabels, formsOptions } from "./target-labels.ts";
import { type Target, useSaveTarget } from "./useTargets.ts";

interface Props {
  /** The target to edit, or the kind of a new one. */
  subject: Target | TargetKind;
  onClose(): void;
}

/** Adds a publish target, or edits one. */
export function TargetDialog({ subject, onClose }: Props): ReactElement {
  const saved = typeof subject === "string" ? null : subject;
  const kind = typeof subject === "string" ? subject : subject.kind;
  const save = useSaveTarget(saved?.id ?? null);
  const edited = useForm({
    before: saved ? targetForm(saved) : newTarget(kind),
    saving: save,
    names: targetNames,
    check: (form) => missingTarget(form, saved === null),
    save: (form) => save.mutate(targetBody(form), { onSuccess: onClose }),
  });
  const title = saved ? `Change ${saved.name}` : addLabels[kind];
  return (
    <FormDialog title={title} edited={edited} onClose={onClose}>
      <TextInput label="Name" {...edited.field("name")} autoFocus maxLength={60} />
      <TargetFields edited={edited} isSecretSaved={saved?.secretSet ?? false} />
      <TextInput
        label="Address of the copy"
        {...edited.field("siteUrl")}
        inputMode="url"
        placeholder="https://www.example.com"
        maxLength={500}
      />
      <Select
        label="Contact form and account links"
        {...edited.field("forms")}
        options={formsOptions}
      />
    </FormDialog>
  );
}
