import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";

import { useClient } from "../../api/context.tsx";
import type { FileCount, RunRecordChange } from "../../api/types.ts";
import { useAction } from "../../api/useAction.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { RefusalNotice } from "../errors/RefusalNotice.tsx";
import { hasRecordChanges } from "./labels.ts";

export interface RecordConflictsProps {
  runId: string;
  /** Only a ready run waits for decisions. */
  isReady: boolean;
  files: readonly FileCount[];
  /** When this changes, conflicts are loaded again. */
  stamp: string | number;
  onResolved?(): void;
}

function useRecordConflicts({ runId, isReady, files, stamp, onResolved }: RecordConflictsProps) {
  const client = useClient();
  const queries = useQueryClient();
  const action = useAction();
  const queryKey = ["runs", "records", runId, stamp];
  const { data } = useQuery({
    queryKey,
    queryFn: () =>
      client.get<{ changes: RunRecordChange[] }>(
        `/devconsole/runs/${encodeURIComponent(runId)}/records`,
      ),
    enabled: isReady && hasRecordChanges(files),
  });
  const decide = ({ record, field }: RunRecordChange, keep: "run" | "record"): void =>
    action.perform(`${keep} ${record} ${field}`, async () => {
      const body = { runId, record, field, keep };
      queries.setQueryData(queryKey, await client.post("/devconsole/records/resolve", body));
      void queries.invalidateQueries({ queryKey: ["runs", "diff", runId] });
      onResolved?.();
    });
  const conflicts = (data?.changes ?? []).filter(({ isConflict }) => isConflict);
  return { conflicts: isReady ? conflicts : [], decide, action };
}

function Value(props: { title: string; text: string | null }): ReactElement {
  const { title, text } = props;
  return (
    <>
      <p className="quiet">{title}</p>
      <pre className="diff" role="region" aria-label={title} tabIndex={0}>
        <code>{text === null ? "(deleted)" : plainText(text) || "(empty)"}</code>
      </pre>
    </>
  );
}

/**
 * Fields that both a run and somebody else have changed: both values, and the choice between them.
 * Nothing if there are none.
 */
export function RecordConflicts(props: RecordConflictsProps): ReactElement | null {
  const { conflicts, decide, action } = useRecordConflicts(props);
  if (conflicts.length === 0 && action.error === null) return null;
  return (
    <>
      {conflicts.map((change) => {
        const { record, field, name, present, after } = change;
        const id = `${record} ${field}`;
        const what = field === "*" ? plainText(name) : `${field} of ${plainText(name)}`;
        return (
          <Notice
            key={id}
            kind="warn"
            title={`The record has changed since this run started: ${what}`}
            actions={
              <>
                <Button
                  busy={action.pending === `run ${id}`}
                  inert={action.pending !== null}
                  onClick={() => decide(change, "run")}
                >
                  Use this run’s version
                </Button>
                <Button
                  busy={action.pending === `record ${id}`}
                  inert={action.pending !== null}
                  onClick={() => decide(change, "record")}
                >
                  Keep the record’s version
                </Button>
              </>
            }
          >
            <Value title="In this run" text={after} />
            <Value title="In the record now" text={present} />
          </Notice>
        );
      })}
      {action.error && <RefusalNotice error={action.error} note="Both versions are kept." />}
    </>
  );
}
