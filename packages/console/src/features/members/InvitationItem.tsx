import { type ReactElement, useState } from "react";

import { asApiError } from "../../api/client.ts";
import { Button } from "../../ui/Button.tsx";
import { RemovalDialog } from "../forms/DeleteDialog.tsx";
import { Time } from "../time/Time.tsx";
import { emailErrorText, timesLabel } from "./labels.ts";
import { type Invitation, useMemberChanges } from "./useMembers.ts";

/** Whether and when an invited person has opened the project. */
function Opened({ invitation }: { invitation: Invitation }): ReactElement {
  const { visits, firstOpenedAt, lastOpenedAt, hasAccount } = invitation;
  if (visits === 0 || lastOpenedAt === null) {
    return <p className="muted">Not opened{hasAccount ? "" : ", no account yet"}</p>;
  }
  return (
    <p>
      Opened {timesLabel(visits)}, {visits > 1 && "last "}
      <Time iso={lastOpenedAt} />
      {visits > 1 && firstOpenedAt !== null && (
        <span className="muted">
          {" "}
          (first <Time iso={firstOpenedAt} />)
        </span>
      )}
    </p>
  );
}

function RevokeDialog(props: { invitation: Invitation; onClose(): void }): ReactElement {
  const { invitation, onClose } = props;
  const { revoke } = useMemberChanges();
  return (
    <RemovalDialog
      item={invitation}
      question={`Revoke the invitation for ${invitation.email}?`}
      yes="Revoke"
      remove={revoke}
      onClose={onClose}
    >
      <p>
        From now on they can’t see {invitation.project.name}. Their account stays, and they aren’t
        notified.
      </p>
    </RemovalDialog>
  );
}

/** An invitation: its address, its status, and its actions. */
export function InvitationItem({ invitation }: { invitation: Invitation }): ReactElement {
  const { inviteAgain } = useMemberChanges();
  const [asking, setAsking] = useState(false);
  const { id, email, note, createdAt, revokedAt, emailStatus: delivery } = invitation;
  return (
    <li className="entry invitation" data-invitation={id} data-revoked={revokedAt !== null}>
      <div className="entry-words">
        <h3>{email}</h3>
        <Opened invitation={invitation} />
        <p className="muted">
          Invited <Time iso={createdAt} dayOnly />
          {revokedAt === null ? (
            delivery !== null && (
              <span data-mail={delivery}>
                {", "}
                {delivery === "logged" ? (
                  <a href="/admin/settings#mail">{emailErrorText[delivery]}</a>
                ) : (
                  emailErrorText[delivery]
                )}
              </span>
            )
          ) : (
            <>
              , revoked <Time iso={revokedAt} dayOnly />
            </>
          )}
        </p>
        {note !== "" && <p className="entry-detail">{note}</p>}
        {inviteAgain.isError && (
          <p className="field-error" role="alert">
            {asApiError(inviteAgain.error).message}
          </p>
        )}
      </div>
      {revokedAt === null && (
        <div className="actions">
          <Button
            busy={inviteAgain.isPending}
            label={`Resend email to ${email}`}
            onClick={() => inviteAgain.mutate(invitation)}
          >
            Resend email
          </Button>
          <Button label={`Revoke the invitation for ${email}`} onClick={() => setAsking(true)}>
            Revoke
          </Button>
        </div>
      )}
      {asking && <RevokeDialog invitation={invitation} onClose={() => setAsking(false)} />}
    </li>
  );
}
