import type { ReactElement } from "react";

import { TextInput } from "../../ui/TextInput.tsx";
import { useForm } from "../forms/useForm.ts";
import { StepForm, type StepProps } from "./StepFrame.tsx";
import { type SetupView, useSaveAnswers } from "./useSetup.ts";

/** Who the site is about. Empty fields aren't shown anywhere. */
export function YouStep({ view, go }: StepProps & { view: SetupView }): ReactElement {
  const { answers, site } = view;
  const save = useSaveAnswers();
  const edited = useForm({
    before: {
      name: answers.name ?? site.name ?? "",
      role: answers.role ?? site.role ?? "",
      place: answers.place ?? site.place ?? "",
      email: answers.email ?? site.email ?? "",
    },
    saving: save,
    check: ({ name }) =>
      name.trim() === "" ? { name: "Enter your name or your studio’s." } : ({} as { name: string }),
    save: (form) => save.mutate(form, { onSuccess: () => go("about") }),
  });
  const { field } = edited;
  return (
    <StepForm
      step="you"
      label="You"
      go={go}
      busy={save.isPending}
      refusal={edited.refusal}
      element={edited.element}
      onSubmit={edited.submit}
    >
      <TextInput label="Name" {...field("name")} autoComplete="name" maxLength={120} />
      <TextInput
        label="What you do (optional)"
        {...field("role")}
        hint="Such as “Illustrator” or “Product designer”."
        autoComplete="organization-title"
        maxLength={120}
      />
      <TextInput
        label="Place (optional)"
        {...field("place")}
        hint="Such as “Lisbon, Portugal”."
        maxLength={120}
      />
      <TextInput
        label="Email address for visitors (optional)"
        {...field("email")}
        hint="Shown on the site. Without one, visitors use the contact form."
        type="email"
        autoComplete="email"
        maxLength={254}
      />
    </StepForm>
  );
}
