import { type ReactElement, useState } from "react";

import type { Entry } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { type Address, useAddress, useSearchText } from "../../ui/search-params.ts";
import { SearchField } from "../../ui/SearchField.tsx";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { Select } from "../../ui/Select.tsx";
import { DeleteDialog } from "../forms/DeleteDialog.tsx";
import { PagedList } from "../queries/PagedList.tsx";
import { Time } from "../time/Time.tsx";
import { EntryDialog } from "./EntryDialog.tsx";
import { knownKinds } from "./form.ts";
import {
  type ChangelogView,
  perPage,
  useEntries,
  useEntryChanges,
  viewOf,
} from "./useChangelog.ts";

const sources = [
  { value: "", label: "All" },
  { value: "app", label: "From Vitrine" },
  { value: "seed", label: "From the seed file" },
] as const;

function Filters(props: { address: Address; view: ChangelogView }): ReactElement {
  const { address, view } = props;
  const search = useSearchText(address);
  const own = view.kind !== "" && !knownKinds.some((kind) => kind === view.kind);
  return (
    <div className="filters">
      <SearchField label="Search the changelog" search={search} />
      <SegmentedControl
        legend="Source"
        value={view.source ?? ""}
        options={sources}
        onChange={(source) => address.change({ source, page: null })}
      />
      <Select
        label="Kind"
        visuallyHiddenLabel
        value={view.kind}
        options={[
          { value: "", label: "All kinds" },
          ...(own ? [{ value: view.kind, label: view.kind }] : []),
          ...knownKinds.map((kind) => ({ value: kind, label: kind })),
        ]}
        onChange={(kind) => address.change({ kind, page: null })}
      />
    </div>
  );
}

function EntryRow(props: {
  entry: Entry;
  onEdit(entry: Entry): void;
  onDelete(entry: Entry): void;
}): ReactElement {
  const { entry, onEdit, onDelete } = props;
  const { hide } = useEntryChanges();
  return (
    <li className="entry" data-entry={entry.id} data-source={entry.source}>
      <div className="entry-words">
        <p className="muted">
          {entry.kind} · <Time iso={entry.at} /> · by {entry.actor}
          {entry.source === "seed" && " · from the seed file"}
          {entry.hidden && " · hidden from visitors"}
        </p>
        <h2>{entry.title}</h2>
        {entry.detail !== "" && <p className="entry-detail">{entry.detail}</p>}
        {entry.commit !== null && (
          <p className="muted">
            Commit <code>{entry.commit.slice(0, 7)}</code>
          </p>
        )}
      </div>
      {entry.source === "app" && (
        <div className="actions">
          <Button icon="edit" label={`Edit “${entry.title}”`} onClick={() => onEdit(entry)}>
            Edit
          </Button>
          <Button
            label={`${entry.hidden ? "Show" : "Hide"} “${entry.title}”`}
            busy={hide.isPending}
            onClick={() => hide.mutate({ id: entry.id, hidden: !entry.hidden })}
          >
            {entry.hidden ? "Show" : "Hide"}
          </Button>
          <Button
            variant="bare"
            icon="trash"
            label={`Delete “${entry.title}”`}
            onClick={() => onDelete(entry)}
          />
        </div>
      )}
    </li>
  );
}

function DeleteEntry(props: { entry: Entry; onClose(): void }): ReactElement {
  const { entry, onClose } = props;
  const { remove } = useEntryChanges();
  return (
    <DeleteDialog item={entry} name={entry.title} remove={remove} onClose={onClose}>
      <p>Visitors will no longer see it. This can’t be undone.</p>
    </DeleteDialog>
  );
}

/** The page of the site's changelog. */
export function ChangelogPage(): ReactElement {
  const address = useAddress();
  const view = viewOf(address);
  const entries = useEntries(view);
  const [edited, setEdited] = useState<Entry | "new" | null>(null);
  const [entryToDelete, setEntryToDelete] = useState<Entry | null>(null);
  const add = (
    <Button variant="primary" icon="add" onClick={() => setEdited("new")}>
      Add an entry
    </Button>
  );
  return (
    <div className="page">
      <PageHeader title="Changelog">{add}</PageHeader>
      <Filters address={address} view={view} />
      <PagedList
        query={entries}
        address={address}
        view={view}
        perPage={perPage}
        noun="entries"
        skeleton={{ count: 6, shape: "row" }}
        filters={["q", "kind", "source"]}
        empty={
          <EmptyState action={add}>
            The changelog tells visitors what has changed. Add the first entry.
          </EmptyState>
        }
      >
        {({ items }) => (
          <>
            {items.some(({ source }) => source === "seed") && (
              <p className="hint entries-hint">
                To edit entries from the seed file, change <code>database/changelog.json</code>.
              </p>
            )}
            <ol className="entries" aria-label="Changelog, newest first">
              {items.map((entry) => (
                <EntryRow
                  key={entry.id}
                  entry={entry}
                  onEdit={setEdited}
                  onDelete={setEntryToDelete}
                />
              ))}
            </ol>
          </>
        )}
      </PagedList>
      {edited !== null && (
        <EntryDialog entry={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
      )}
      {entryToDelete && (
        <DeleteEntry entry={entryToDelete} onClose={() => setEntryToDelete(null)} />
      )}
    </div>
  );
}
