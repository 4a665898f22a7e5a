import "./sources.css";

import { type ReactElement, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { DeleteDialog } from "../forms/DeleteDialog.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";
import { MoveButtons } from "../../ui/MoveButtons.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { moved } from "../projects/order.ts";
import { kinds, type Source } from "./form.ts";
import { SourceDialog } from "./SourceDialog.tsx";
import { useSourceChanges, useSources } from "./useSources.ts";

interface RowProps {
  source: Source;
  /** Its position among those of its kind. */
  index: number;
  count: number;
  onMove(to: number): void;
  onEdit(source: Source): void;
  onDelete(source: Source): void;
}

/** Turns a source on or off. */
function Switch({ source }: { source: Source }): ReactElement {
  const { save } = useSourceChanges();
  const { id, title, enabled } = source;
  return (
    <Button
      busy={save.isPending}
      label={`${enabled ? "Turn off" : "Turn on"} “${title}”`}
      onClick={() => save.mutate({ id, enabled: !enabled })}
    >
      {enabled ? "Turn off" : "Turn on"}
    </Button>
  );
}

function SourceRow(props: RowProps): ReactElement {
  const { source, index, count, onMove, onEdit, onDelete } = props;
  const { id, title, url, notes, enabled } = source;
  return (
    <li className="entry source" data-source={id}>
      <div className="entry-words">
        <h3>{title}</h3>
        {!enabled && <p className="muted">Off. Agents don’t see it.</p>}
        {url !== "" && (
          <p>
            <a href={url} rel="noreferrer" target="_blank">
              {url}
            </a>
          </p>
        )}
        {notes !== "" && <p className="entry-detail">{notes}</p>}
      </div>
      <div className="actions">
        <Switch source={source} />
        {count > 1 && (
          <MoveButtons noun={`“${title}”`} index={index} count={count} onMove={onMove} />
        )}
        <Button icon="edit" label={`Edit “${title}”`} onClick={() => onEdit(source)}>
          Edit
        </Button>
        <Button
          variant="bare"
          icon="trash"
          label={`Delete “${title}”`}
          onClick={() => onDelete(source)}
        />
      </div>
    </li>
  );
}

function DeleteSource(props: { source: Source; onClose(): void }): ReactElement {
  const { source, onClose } = props;
  const { remove } = useSourceChanges();
  return (
    <DeleteDialog item={source} name={source.title} remove={remove} onClose={onClose}>
      <p>Agents no longer see it. The changes they made stay.</p>
    </DeleteDialog>
  );
}

/** The sources for one kind of agent, in the order in which it gets them. */
function Kind(props: {
  kind: (typeof kinds)[number];
  items: readonly Source[];
  onEdit(source: Source): void;
  onDelete(source: Source): void;
}): ReactElement {
  const { kind, items, onEdit, onDelete } = props;
  const { reorder } = useSourceChanges();
  const move = (from: number, to: number): void => {
    const ids = moved(items, from, to).map(({ id }) => id);
    const said = `“${items[from]?.title}” is number ${to + 1} of ${items.length}.`;
    reorder.mutate({ ids, said });
  };
  return (
    <section className="source-kind" aria-label={kind.label}>
      <h2>{kind.label}</h2>
      <p className="muted">{kind.about}</p>
      <ErrorState what="Couldn’t change the order." error={reorder.error} />
      <ol className="entries">
        {items.map((source, index) => (
          <SourceRow
            key={source.id}
            source={source}
            index={index}
            count={items.length}
            onMove={(to) => move(index, to)}
            onEdit={onEdit}
            onDelete={onDelete}
          />
        ))}
      </ol>
    </section>
  );
}

/** Explains sources, with two ways to add the first ones. */
function NoSources({ add }: { add: ReactElement }): ReactElement {
  const { addStarters } = useSourceChanges();
  return (
    <EmptyState
      action={
        <>
          <div className="actions">
            {add}
            <Button busy={addStarters.isPending} onClick={() => addStarters.mutate()}>
              Add starter sources
            </Button>
          </div>
          <ErrorState what="Couldn’t add the starter sources." error={addStarters.error} />
        </>
      }
    >
      Give agents a style guide, a page you like or a rule in your own words. The starter sources
      are a few short rules for each agent, which you can edit or delete.
    </EmptyState>
  );
}

function Sources(props: {
  /** The button that adds one. */
  add: ReactElement;
  onEdit(source: Source): void;
  onDelete(source: Source): void;
}): ReactElement {
  return (
    <QueryBody
      query={useSources()}
      what="the sources"
      skeleton={{ count: 4, shape: "row", label: "Loading sources" }}
    >
      {({ items, total }) =>
        total === 0 ? (
          <NoSources add={props.add} />
        ) : (
          kinds.map((kind) => {
            const own = items.filter(({ agent }) => agent === kind.value);
            if (own.length === 0) return null;
            return <Kind key={kind.value} kind={kind} items={own} {...props} />;
          })
        )
      }
    </QueryBody>
  );
}

/** The sources page: guidance for agents. */
export function SourcesPage(): ReactElement {
  const [edited, setEdited] = useState<Source | "new" | null>(null);
  const [sourceToDelete, setSourceToDelete] = useState<Source | null>(null);
  const add = (
    <Button variant="primary" icon="add" onClick={() => setEdited("new")}>
      Add a source
    </Button>
  );
  return (
    <div className="page">
      <PageHeader title="Sources">{add}</PageHeader>
      <Sources add={add} onEdit={setEdited} onDelete={setSourceToDelete} />
      {edited !== null && (
        <SourceDialog source={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
      )}
      {sourceToDelete && (
        <DeleteSource source={sourceToDelete} onClose={() => setSourceToDelete(null)} />
      )}
    </div>
  );
}
