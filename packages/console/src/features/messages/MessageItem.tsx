import { type ReactElement, useId } from "react";

import { useSite } from "../../api/context.tsx";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { Time } from "../time/Time.tsx";
import { excerpt, replyAddress } from "./reply.ts";
import { type Message, useMessageChanges } from "./useMessages.ts";

interface ItemProps {
  message: Message;
  open: boolean;
  selected: boolean;
  onOpen(open: boolean): void;
  onSelect(selected: boolean): void;
  onDelete(): void;
}

/** Says that the owner wasn't notified by email, and where to check why. */
function DeliveryStatus({ emailStatus }: Pick<Message, "emailStatus">): ReactElement | null {
  if (emailStatus !== "logged" && emailStatus !== "failed") return null;
  return (
    <p className="muted">
      The email about this message couldn’t be delivered. See{" "}
      <a href="/admin/settings#deliveries">recent deliveries</a>.
    </p>
  );
}

function Opened({ message, onDelete }: Pick<ItemProps, "message" | "onDelete">): ReactElement {
  const { ownerName } = useSite();
  const { mark } = useMessageChanges();
  const { id, name, email, readAt } = message;
  return (
    <>
      <p className="message-from">
        <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>
        <span className="muted">
          {" "}
          from <code>{message.ip}</code>
        </span>
      </p>
      <p className="message-text">{message.message}</p>
      <DeliveryStatus emailStatus={message.emailStatus} />
      <ErrorState what="Couldn’t update the message." error={mark.error} />
      <div className="actions">
        <a className="button primary" href={replyAddress(message, ownerName)}>
          <Icon name="edit" />
          Reply by email
        </a>
        <Button
          busy={mark.isPending}
          onClick={() => mark.mutate({ ids: [id], read: readAt === null })}
        >
          {readAt === null ? "Mark as read" : "Mark as unread"}
        </Button>
        <Button icon="trash" label={`Delete the message from ${name}`} onClick={onDelete}>
          Delete
        </Button>
      </div>
    </>
  );
}

/** A message on one line; opening it shows everything and marks it as read. */
export function MessageItem(props: ItemProps): ReactElement {
  const { message, open, selected } = props;
  const id = useId();
  const { name, at, readAt } = message;
  const unread = readAt === null;
  return (
    <li className="message" data-unread={unread} data-open={open}>
      <label className="message-check">
        <span className="unseen">Select the message from {name}</span>
        <input
          type="checkbox"
          checked={selected}
          onChange={(event) => props.onSelect(event.target.checked)}
        />
      </label>
      <h2>
        <button
          type="button"
          className="message-head"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => props.onOpen(!open)}
        >
          <span className="message-name">
            {unread && <span className="unseen">Unread: </span>}
            {name}
          </span>
          <span className="message-begins">{excerpt(message.message)}</span>
          <span className="message-at muted">
            <Time iso={at} />
          </span>
          <Icon name="chevron" />
        </button>
      </h2>
      <div className="message-body" id={id} hidden={!open}>
        {open && <Opened message={message} onDelete={props.onDelete} />}
      </div>
    </li>
  );
}
