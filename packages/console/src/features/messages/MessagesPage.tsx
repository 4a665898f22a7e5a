import "./messages.css";

import { type ReactElement, useState } from "react";

import { formatCount } from "../../ui/format.ts";
import { type Address, useAddress, useSearchText } from "../../ui/search-params.ts";
import { Button } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { focusHeading } from "../../ui/focus.ts";
import { Menu } from "../../ui/Menu.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { RemovalDialog } from "../forms/DeleteDialog.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { PagedList } from "../queries/PagedList.tsx";
import { SearchField } from "../../ui/SearchField.tsx";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { MessageItem } from "./MessageItem.tsx";
import {
  type Message,
  type MessagesView,
  perPage,
  useMessageChanges,
  useMessages,
  viewOf,
} from "./useMessages.ts";

function Filters(props: {
  address: Address;
  view: MessagesView;
  unread: number | undefined;
}): ReactElement {
  const { address, view, unread } = props;
  const search = useSearchText(address);
  return (
    <div className="filters">
      <SearchField label="Search messages" search={search} />
      <SegmentedControl
        legend="Which messages"
        value={view.unread ? "1" : ""}
        options={[
          { value: "", label: "All" },
          { value: "1", label: "Unread", count: unread },
        ]}
        onChange={(onlyUnread) => address.change({ unread: onlyUnread, page: null })}
      />
    </div>
  );
}

function ExportMenu(): ReactElement {
  const forms = [
    ["csv", "As a table (CSV)"],
    ["json", "As JSON"],
  ] as const;
  return (
    <Menu label="Export all messages" text="Export">
      {(close) =>
        forms.map(([form, words]) => (
          <a
            key={form}
            className="button bare"
            href={`/api/adminmessages/export?format=${form}`}
            download
            onClick={close}
          >
            {words}
          </a>
        ))
      }
    </Menu>
  );
}

/** Actions for all selected messages; stays visible while scrolling. */
function Bulk(props: {
  selected: readonly Message[];
  onClear(): void;
  onDelete(): void;
}): ReactElement | null {
  const { selected, onClear } = props;
  const { mark } = useMessageChanges();
  if (selected.length === 0) return null;
  const ids = selected.map(({ id }) => id);
  const done = (): void => {
    onClear();
    focusHeading();
  };
  return (
    <div className="bulk" role="region" aria-label="Selected messages">
      <p>
        <b>{formatCount(selected.length, "message")}</b> selected
      </p>
      <div className="actions">
        <Button
          busy={mark.isPending}
          onClick={() => mark.mutate({ ids, read: true }, { onSuccess: done })}
        >
          Mark as read
        </Button>
        <Button
          inert={mark.isPending}
          onClick={() => mark.mutate({ ids, read: false }, { onSuccess: done })}
        >
          Mark as unread
        </Button>
        <Button variant="danger" onClick={props.onDelete}>
          Delete
        </Button>
        <Button variant="bare" onClick={done}>
          Clear selection
        </Button>
      </div>
      <ErrorState what="Couldn’t update the messages." error={mark.error} />
    </div>
  );
}

function DeleteMessages(props: {
  messages: readonly Message[];
  onDone(): void;
  onClose(): void;
}): ReactElement {
  const { messages, onDone, onClose } = props;
  const { remove } = useMessageChanges();
  const [only] = messages;
  const question =
    messages.length === 1
      ? `Delete the message from ${only?.name}?`
      : `Delete ${formatCount(messages.length, "message")}?`;
  return (
    <RemovalDialog
      item={messages}
      remove={remove}
      question={question}
      yes="Delete"
      onClose={onClose}
      onDone={onDone}
    >
      <p>Deleted messages can’t be restored. Emails you received about them stay in your inbox.</p>
    </RemovalDialog>
  );
}

/** A page of messages and their actions. */
function Messages({ items }: { items: readonly Message[] }): ReactElement {
  const { mark } = useMessageChanges();
  const [openId, setOpenId] = useState<number | null>(null);
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const [messagesToDelete, setMessagesToDelete] = useState<readonly Message[] | null>(null);
  const selected = items.filter(({ id }) => ids.has(id));
  const select = (id: number, on: boolean): void => {
    const next = new Set(selected.map((message) => message.id));
    if (on) next.add(id);
    else next.delete(id);
    setIds(next);
  };
  return (
    <>
      <ErrorState what="Couldn’t mark the message as read." error={mark.error} />
      <ol className="messages" aria-label="Messages">
        {items.map((message) => (
          <MessageItem
            key={message.id}
            message={message}
            open={openId === message.id}
            selected={ids.has(message.id)}
            onOpen={(open) => {
              setOpenId(open ? message.id : null);
              if (open && message.readAt === null) mark.mutate({ ids: [message.id], read: true });
            }}
            onSelect={(on) => select(message.id, on)}
            onDelete={() => setMessagesToDelete([message])}
          />
        ))}
      </ol>
      <Bulk
        selected={selected}
        onClear={() => setIds(new Set())}
        onDelete={() => setMessagesToDelete(selected)}
      />
      {messagesToDelete && (
        <DeleteMessages
          messages={messagesToDelete}
          onClose={() => setMessagesToDelete(null)}
          onDone={() => {
            setMessagesToDelete(null);
            setIds(new Set());
          }}
        />
      )}
    </>
  );
}

/** The page of messages from the contact form. */
export function MessagesPage(): ReactElement {
  const address = useAddress();
  const view = viewOf(address);
  const messages = useMessages(view);
  return (
    <div className="page">
      <PageHeader title="Messages">
        {messages.data && messages.data.total > 0 && <ExportMenu />}
      </PageHeader>
      <Filters address={address} view={view} unread={messages.data?.unread} />
      <PagedList
        query={messages}
        address={address}
        view={view}
        perPage={perPage}
        noun="messages"
        skeleton={{ count: 6, shape: "row" }}
        filters={["unread", "q"]}
        empty={
          <EmptyState
            action={
              <a className="button" href="/contact/">
                Open the contact page
              </a>
            }
          >
            No messages yet. Messages from your contact page appear here and are emailed to you.
          </EmptyState>
        }
      >
        {({ items }) => <Messages items={items} />}
      </PagedList>
    </div>
  );
}
