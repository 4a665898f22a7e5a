import { type ReactElement, type RefObject, useLayoutEffect, useRef } from "react";

import type { ProjectSummary } from "../../api/types.ts";
import { MoveButtons } from "../../ui/MoveButtons.tsx";
import { Sortable, useSortableRow } from "../forms/Sortable.tsx";
import { ProjectRow, type RowActions } from "./ProjectRow.tsx";
import type { Move } from "./useProjects.ts";

interface OrderProps extends RowActions {
  items: readonly ProjectSummary[];
  /** The number of projects before and after this page. */
  before: number;
  after: number;
  onMove(move: Move): void;
}

function Moves(props: OrderProps & { index: number; project: ProjectSummary }): ReactElement {
  const { index, project, items, before, after, onMove } = props;
  return (
    <MoveButtons
      noun={project.name}
      index={before + index}
      count={before + items.length + after}
      onMove={(to) => onMove({ from: index, to: to - before })}
    />
  );
}

function SortableRow(props: OrderProps & { index: number; project: ProjectSummary }): ReactElement {
  const { project } = props;
  const { row, grip } = useSortableRow(project.id, project.name);
  return (
    <li className="project-item" {...row}>
      <ProjectRow {...props} grip={grip} moves={<Moves {...props} />} />
    </li>
  );
}

/** Where a project has gone to another page, its place's link takes the focus over. */
function useFocusOnPlace(
  list: RefObject<HTMLOListElement | null>,
  items: readonly ProjectSummary[],
): (move: Move) => void {
  const leaving = useRef<{ id: number; place: number } | null>(null);
  useLayoutEffect(() => {
    const { id, place } = leaving.current ?? {};
    if (place === undefined || items.some((item) => item.id === id)) return;
    leaving.current = null;
    list.current?.children[place]?.querySelector<HTMLElement>("h2 a")?.focus();
  }, [list, items]);
  return ({ from, to }) => {
    const [id, outside] = [items[from]?.id, to < 0 || to >= items.length];
    leaving.current = outside && id !== undefined ? { id, place: from } : null;
  };
}

/** The sortable list, by dragging, keys, or buttons. */
export function ProjectOrder(props: OrderProps): ReactElement {
  const { items } = props;
  const list = useRef<HTMLOListElement>(null);
  const expect = useFocusOnPlace(list, items);
  const onMove = (move: Move): void => {
    expect(move);
    props.onMove(move);
  };
  return (
    <Sortable items={items} before={props.before} onMove={onMove}>
      <ol ref={list} className="projects" aria-label="Projects in order">
        {items.map((project, index) => (
          <SortableRow
            key={project.id}
            {...props}
            onMove={onMove}
            project={project}
            index={index}
          />
        ))}
      </ol>
    </Sortable>
  );
}
