import { type ReactElement, useEffect, useEffectEvent, useRef } from "react";

import { Button } from "../../ui/Button.tsx";
import type { Address } from "../../ui/search-params.ts";
import { useSize } from "../../ui/useSize.ts";
import { pageOf, titleOf } from "./labels.ts";
import { TaskPreview } from "./TaskPreview.tsx";
import { TaskView } from "./TaskView.tsx";
import type { BoardSnapshot } from "./useBoard.ts";
import { useTask } from "./useTask.ts";

interface PanelProps {
  id: number;
  address: Address;
  /** The board, once it is loaded. */
  board: BoardSnapshot | undefined;
  /** Whether it covers the whole page. */
  narrow: boolean;
}

const noDiffs = { open: false, turn: 0 };

/** The gap around the panel, in px. */
const gap = 12;

/** Esc closes what was opened last; handled here if nothing inside has handled it. */
function useEscape(close: () => void): void {
  const press = useEffectEvent(close);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (document.querySelector("dialog[open], [popover]:popover-open")) return;
      press();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** The title and the close button; the focus starts at the heading. */
function Head(props: { id: number; title: string; onClose(): void }): ReactElement {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <header>
      <p className="muted">Task #{props.id}</p>
      <Button variant="bare" icon="cross" label="Close the details" onClick={props.onClose} />
      <h2 id="task-title" ref={heading} tabIndex={-1} dir="auto">
        {props.title}
      </h2>
    </header>
  );
}

/** A task with all its details and actions. */
export function TaskPanel({ id, address, board, narrow }: PanelProps): ReactElement {
  const { change, params } = address;
  const query = useTask(id);
  const task = query.data;
  const path = task ? pageOf(task) : "/";
  const [measure, size] = useSize();
  const close = (): void => change({ task: null, preview: null });
  const hidePreview = (): void => {
    change({ preview: null });
    requestAnimationFrame(() => document.querySelector<HTMLElement>("#task-title")?.focus());
  };
  useEscape(close);
  const previewUrl = params.has("preview") ? (task?.run?.previewUrl ?? null) : null;
  return (
    <>
      <div
        className="task-panel"
        ref={measure}
        role={narrow ? "dialog" : "complementary"}
        aria-modal={narrow || undefined}
        aria-labelledby="task-title"
        inert={narrow && previewUrl !== null}
      >
        <TaskView
          id={id}
          board={board}
          look={query}
          diffs={noDiffs}
          head={(title) => <Head id={id} title={title} onClose={close} />}
          onPreview={() => change({ preview: 1 })}
        />
      </div>
      {previewUrl !== null && (
        <TaskPreview
          url={previewUrl}
          path={path}
          title={task ? titleOf(task) : `Task #${id}`}
          inset={narrow ? 0 : size.width + 2 * gap}
          onClose={hidePreview}
        />
      )}
    </>
  );
}
