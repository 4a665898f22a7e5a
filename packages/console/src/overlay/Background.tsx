import type { ReactElement } from "react";

import { InlineEdits, type InlineEditsProps } from "./inline/InlineEdits.tsx";
import { TaskNews } from "./tasks/TaskNews.tsx";

/** What works behind the open console: news of the tasks, and typing on the page. */
export function Background(props: InlineEditsProps): ReactElement {
  return (
    <>
      <TaskNews />
      <InlineEdits {...props} />
    </>
  );
}
