import { type ReactElement, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { formatCount } from "../../ui/format.ts";
import { Notice } from "../../ui/Notice.tsx";
import { TextArea } from "../../ui/TextArea.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { useForm } from "../forms/useForm.ts";
import { addressError, parseAddresses } from "./addresses.ts";
import { type Invited, useMemberChanges } from "./useMembers.ts";

const empty = { emails: "", note: "" };

/** The result of the last invitations. */
function Outcome({ invited, already }: Invited): ReactElement {
  const sent =
    invited === 0 ? "No one new was invited." : `${formatCount(invited, "email")} on the way.`;
  return (
    <Notice kind="info" title={sent}>
      {already.length > 0 && (
        <p>
          Already invited, so no new email was sent: {already.join(", ")}. You can resend it from
          the list.
        </p>
      )}
    </Notice>
  );
}

/** Invites typed or pasted addresses, several at once. */
export function InviteForm({ projectId }: { projectId: number }): ReactElement {
  const { invite } = useMemberChanges();
  const [outcome, setOutcome] = useState<Invited | null>(null);
  const edited = useForm({
    before: empty,
    saving: invite,
    check({ emails }): Record<string, string> {
      const mistake = addressError(emails);
      return mistake === null ? {} : { emails: mistake };
    },
    save({ emails, note }) {
      const body = { projectId, emails: parseAddresses(emails).addresses, note: note.trim() };
      const onSuccess = (response: Invited): void => {
        setOutcome(response);
        edited.change(empty);
      };
      setOutcome(null);
      invite.mutate(body, { onSuccess });
    },
  });
  const { form, field } = edited;
  const count = parseAddresses(form.emails).addresses.length;
  return (
    <form className="invite" ref={edited.element} noValidate onSubmit={edited.submit}>
      <TextArea
        label="Email addresses"
        {...field("emails")}
        hint="One or more, separated by commas or new lines. You can paste names with them."
        rows={3}
        aside={
          count > 1 && <span className="muted">{formatCount(count, "address", "addresses")}</span>
        }
      />
      <TextArea
        label="Personal message (optional)"
        {...field("note")}
        hint="Shown in the email, above the link."
        rows={2}
        maxLength={1000}
      />
      <ErrorState what="Couldn’t send the invitations." error={edited.refusal} />
      {outcome && <Outcome {...outcome} />}
      <div className="actions">
        <Button variant="primary" type="submit" busy={invite.isPending}>
          {count > 1 ? `Invite ${count} people` : "Invite"}
        </Button>
      </div>
    </form>
  );
}
