import type { ReactElement } from "react";

import { Icon } from "../components/Icon.tsx";
import { cardTime } from "../manage/tasks/time-words.ts";
import { priorityWords } from "../manage/tasks/words.ts";
import { plainText } from "../plain-text.ts";
import type { Task } from "../types.ts";
import { count } from "../words.ts";
import { changedOf, stateOf } from "./task-words.ts";

/** A task's state with its sign, and its facts in a line. */
export function TaskMeta({ task, now }: { task: Task; now: number }): ReactElement {
  const { word, icon, look } = stateOf(task);
  const pictures = task.attachments.length;
  const facts = [
    cardTime(task, now),
    priorityWords(task.priority),
    changedOf(task),
    pictures > 0 ? count(pictures, "picture") : null,
  ].filter((fact) => fact !== null);
  return (
    <p className="meta">
      <b className={`word ${look}`}>
        {icon === null ? <span className="spinner" /> : <Icon name={icon} />} {word}
      </b>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {task.pageUrl !== null && <span className="page">{plainText(task.pageUrl)}</span>}
    </p>
  );
}
