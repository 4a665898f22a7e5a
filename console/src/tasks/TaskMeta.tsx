import type { ReactElement } from "react";

import { Icon } from "../components/Icon.tsx";
import { cardTime } from "../manage/tasks/time-words.ts";
import { priorityWords } from "../manage/tasks/words.ts";
import { plainText } from "../plain-text.ts";
import type { Task } from "../types.ts";
import { count, pageName } from "../words.ts";
import { changedOf, stateOf } from "./task-words.ts";

/** A task's state with its sign, and its facts in a line. */
export function TaskMeta({ task, now }: { task: Task; now: number }): ReactElement {
  const { word, icon, look } = stateOf(task);
  const changed = changedOf(task);
  return (
    <p className="meta">
      <b className={`word ${look}`}>
        {icon === null ? <span className="spinner" /> : <Icon name={icon} />} {word}
      </b>
      {changed !== null && <span>{changed}</span>}
      <TaskFacts task={task} now={now} />
    </p>
  );
}

/** Since when, how important, with what and about which page. */
export function TaskFacts({ task, now }: { task: Task; now: number }): ReactElement {
  const { attachments, pageUrl, priority } = task;
  const pictures = attachments.length > 0 ? count(attachments.length, "picture") : null;
  const facts = [cardTime(task, now), priorityWords(priority), pictures];
  return (
    <>
      {facts.map((fact) => fact !== null && <span key={fact}>{fact}</span>)}
      {pageUrl !== null && <span className="page">{pageName(plainText(pageUrl))}</span>}
    </>
  );
}
