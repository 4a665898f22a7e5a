import type { ReactElement } from "react";

import { asApiError } from "../../api/client.ts";
import { useChange } from "../../api/useChange.ts";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { focusHeading } from "../../ui/focus.ts";
import { formatCount } from "../../ui/format.ts";
import { api } from "./useOverview.ts";

/**
 * Asks for confirmation before all open findings are ignored, so that only new ones are reported.
 */
export function Baseline(props: { open: number; onClose(): void }): ReactElement {
  const { open, onClose } = props;
  const take = useChange<void, { ignored: number }>({
    send: (client) => client.post(`${api}/baseline`, {}),
    announcement: ({ ignored }) =>
      `${formatCount(ignored, "finding")} ignored. New findings will be shown.`,
    updateCache() {
      onClose();
      focusHeading();
    },
    awaited: [["qa"]],
  });
  return (
    <ConfirmDialog
      question="Ignore existing issues?"
      yes={`Ignore ${formatCount(open, "finding")}`}
      busy={take.isPending}
      error={take.isError ? `${asApiError(take.error).message} The findings are unchanged.` : null}
      onYes={() => take.mutate()}
      onNo={onClose}
    >
      <p>
        Everything that’s open now, including errors, is ignored permanently. After that you’ll see
        only new issues and those that get worse.
      </p>
      <p>
        Nothing is deleted. You can reopen each finding under Ignored, or undo all of this under
        Ignore rules.
      </p>
    </ConfirmDialog>
  );
}
