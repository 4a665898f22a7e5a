import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";

import { useClient } from "../../api/context.tsx";
import type { Run, RunRecordChange } from "../../api/types.ts";
import { useAction } from "../../api/useAction.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { RefusalNotice } from "../shared/RefusalNotice.tsx";
import { hasRecordChanges } from "./labels.ts";
import type { LiveRun } from "./useRun.ts";

function useRecordConflicts(runId: string, live: LiveRun) {
  const client = useClient();
  const queries = useQueryClient();
  const action = useAction();
  const { status, files, items } = live.view;
  // A refused publish adds an entry to the log: what stands in its way is asked for again.
  const queryKey = ["runs", "records", runId, items.length];
  const { data } = useQuery({
    queryKey,
    queryFn: () =>
      client.get<{ changes: RunRecordChange[] }>(
        `/devconsole/runs/${encodeURIComponent(runId)}/records`,
      ),
    enabled: status === "preview_ready" && hasRecordChanges(files),
  });
  const decide = ({ record, field }: RunRecordChange, keep: "run" | "record"): void =>
    action.perform(`${keep} ${record} ${field}`, async () => {
      const body = { runId, record, field, keep };
      queries.setQueryData(queryKey, await client.post("/devconsole/records/resolve", body));
      void queries.invalidateQueries({ queryKey: ["runs", "diff", runId] });
      live.update(await client.get<Run>(`/devconsole/runs/${encodeURIComponent(runId)}`));
    });
  const conflicts = (data?.changes ?? []).filter(({ isConflict }) => isConflict);
  return { conflicts: status === "preview_ready" ? conflicts : [], decide, action };
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
 * What a run and somebody else have both changed of a record since: both values, and the decision
 * which one stays. Nothing where there is no such field.
 */
export function RecordConflicts(props: { runId: string; live: LiveRun }): ReactElement | null {
  const { conflicts, decide, action } = useRecordConflicts(props.runId, props.live);
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
            title={`The record was changed since this run began: ${what}`}
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
      {action.error && <RefusalNotice error={action.error} kept="Both versions are kept." />}
    </>
  );
}
