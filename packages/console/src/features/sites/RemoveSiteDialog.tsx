import type { ReactElement } from "react";

import { Notice } from "../../ui/Notice.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { FormDialog } from "../forms/FormDialog.tsx";
import { useForm } from "../forms/useForm.ts";
import { usePassword } from "../password/usePassword.ts";
import { useRemoveSite } from "./useSites.ts";

/** Asks for the site's name and the password before everything of it is deleted. */
export function RemoveSiteDialog(props: {
  name: string;
  onClose(): void;
  /** Called once it is being removed. */
  onDone(): void;
}): ReactElement {
  const { name, onClose, onDone } = props;
  const remove = useRemoveSite();
  // Unknown: the server asks for it.
  const hasPassword = usePassword().data?.isSet ?? true;
  const edited = useForm({
    before: { confirmName: "", password: "" },
    saving: remove,
    check: ({ confirmName, password }): Record<string, string> => ({
      ...(confirmName.trim() !== name && { confirmName: `Enter “${name}” to confirm.` }),
      ...(hasPassword && password === "" && { password: "Enter the password you sign in with." }),
    }),
    save: ({ confirmName, password }) =>
      remove.mutate(
        { name, confirmName: confirmName.trim(), ...(hasPassword && { password }) },
        { onSuccess: onDone },
      ),
  });
  return (
    <FormDialog
      title={`Remove “${name}”?`}
      yes="Remove site"
      danger
      refused="Couldn’t remove the site."
      edited={edited}
      onClose={onClose}
    >
      <Notice kind="warn" quiet>
        This deletes its pages, projects, media, messages, and accounts for good. Backups that you
        made with vitrine site export are kept.
      </Notice>
      <TextInput
        label="Name of the site"
        {...edited.field("confirmName")}
        hint={`Enter “${name}” to confirm.`}
        autoFocus
        maxLength={40}
      />
      {hasPassword && (
        <TextInput
          label="Your password"
          {...edited.field("password")}
          hint="The password you sign in with here."
          type="password"
          autoComplete="current-password"
          maxLength={1024}
        />
      )}
    </FormDialog>
  );
}
