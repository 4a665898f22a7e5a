import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";
import type { useDraft, useSavePages } from "./usePages.ts";

/** What can be done with the unsaved changes; nothing where there are none. */
export function SaveBar(props: {
  draft: ReturnType<typeof useDraft>;
  save: ReturnType<typeof useSavePages>;
}): ReactElement | null {
  const { draft, save } = props;
  const changes = Object.entries(draft.draft).map(([file, change]) => ({
    file,
    hash: change.hash,
    values: JSON.stringify(change.values),
  }));
  if (changes.length === 0) return null;
  return (
    <div className="pages-bar">
      <span role="status">Unsaved changes</span>
      <div className="actions">
        <Button
          onClick={() => {
            save.reset();
            draft.clear();
          }}
        >
          Discard changes
        </Button>
        <Button
          variant="primary"
          busy={save.isPending}
          onClick={() => save.mutate({ changes }, { onSuccess: () => draft.clear() })}
        >
          Build preview
        </Button>
      </div>
    </div>
  );
}
