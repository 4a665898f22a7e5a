import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  MouseSensor,
  TouchSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { type ReactElement, type RefObject, useLayoutEffect, useRef } from "react";

import type { ProjectSummary } from "../../api/types.ts";
import { Icon } from "../../ui/Icon.tsx";
import { MoveButtons } from "../../ui/MoveButtons.tsx";
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
  const sortable = useSortable({ id: project.id });
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, isDragging } = sortable;
  return (
    <li
      ref={setNodeRef}
      className="project-item"
      data-dragging={isDragging}
      style={{
        transform: CSS.Translate.toString(sortable.transform),
        transition: sortable.transition,
      }}
    >
      <ProjectRow
        {...props}
        grip={
          <button
            ref={setActivatorNodeRef}
            type="button"
            className="grip"
            aria-label={`Drag ${project.name}`}
            {...attributes}
            {...listeners}
          >
            <Icon name="grip" />
          </button>
        }
        moves={<Moves {...props} />}
      />
    </li>
  );
}

/** Announcements while dragging with the keyboard. */
function announcementsFor({ items, before }: OrderProps): Announcements {
  const name = (id: UniqueIdentifier): string => items.find((item) => item.id === id)?.name ?? "It";
  const place = (id: UniqueIdentifier): number =>
    before + items.findIndex((item) => item.id === id) + 1;
  return {
    onDragStart: ({ active }) => `${name(active.id)} picked up.`,
    onDragOver: ({ active, over }) =>
      over ? `${name(active.id)} is over position ${place(over.id)}.` : undefined,
    onDragEnd: ({ active }) => `${name(active.id)} dropped.`,
    onDragCancel: ({ active }) => `${name(active.id)} returned to its place.`,
  };
}

/** When a project moves to another page, the link in its place gets the focus. */
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
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 180, tolerance: 8 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const onDragEnd = ({ active, over }: DragEndEvent): void => {
    const from = items.findIndex((item) => item.id === active.id);
    const to = items.findIndex((item) => item.id === over?.id);
    if (from !== -1 && to !== -1 && from !== to) onMove({ from, to });
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={onDragEnd}
      accessibility={{
        announcements: announcementsFor(props),
        screenReaderInstructions: {
          draggable: "Press Space to pick up or drop, arrow keys to move, Escape to cancel.",
        },
      }}
    >
      <SortableContext items={items.map(({ id }) => id)} strategy={verticalListSortingStrategy}>
        <ol ref={list} className="projects" aria-label="Projects in their order">
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
      </SortableContext>
    </DndContext>
  );
}
