import type { ReactElement } from "react";

import { asApiError } from "../../api/client.ts";
import { useChange } from "../../api/useChange.ts";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { focusHeading } from "../../ui/focus.ts";
import { formatCount } from "../../ui/format.ts";
import { api } from "./useOverview.ts";

/** Asks before all that is open is ignored, so that only what is new is told. */
export function Baseline(props: { open: number; onClose(): void }): ReactElement {
  const { open, onClose } = props;
  const take = useChange<void, { ignored: number }>({
    send: (client) => client.post(`${api}/baseline`, {}),
    announcement: ({ ignored }) =>
      `${formatCount(ignored, "finding")} ignored. What is found from now on is shown.`,
    updateCache() {
      onClose();
      focusHeading();
    },
    awaited: [["qa"]],
  });
  return (
    <ConfirmDialog
      question="Start quiet?"
      yes={`Ignore ${formatCount(open, "finding")}`}
      busy={take.isPending}
      error={
        take.isError ? `${asApiError(take.error).message} The findings are as they were.` : null
      }
      onYes={() => take.mutate()}
      onNo={onClose}
    >
      <p>
        All that is open now is ignored for good, errors too. From then on you are shown what is
        new, and what gets worse.
      </p>
      <p>
        Nothing is deleted: you find it under Ignored, where each can be reopened, and the whole can
        be undone under Ignore rules.
      </p>
    </ConfirmDialog>
  );
}
