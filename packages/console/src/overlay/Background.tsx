import type { ReactElement } from "react";

import { InlineEdits, type InlineEditsProps } from "./inline/InlineEdits.tsx";
import { TaskNews } from "./tasks/TaskNews.tsx";

/** Background work of the open console: news of tasks, and editing on the page. */
export function Background(props: InlineEditsProps): ReactElement {
  return (
    <>
      <TaskNews />
      <InlineEdits {...props} />
    </>
  );
}
