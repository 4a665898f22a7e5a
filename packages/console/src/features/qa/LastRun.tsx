import type { ReactElement } from "react";

import type { QaRun, QaOverview } from "../../api/types.ts";
import { Notice } from "../../ui/Notice.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { Time } from "../time/Time.tsx";
import { Elapsed } from "../tasks/Elapsed.tsx";
import { formatSince } from "../tasks/task-times.ts";
import {
  autofixText,
  changeLabel,
  extentLabel,
  nextRunText,
  openCountLabel,
  durationLabel,
  triggerLabel,
} from "./labels.ts";

/** When it ran, what started it, and how much it checked. */
function Facts({ run }: { run: QaRun }): ReactElement {
  const end = run.finishedAt ?? run.startedAt;
  const took = durationLabel(run);
  return (
    <p className="muted qa-facts">
      <Time iso={end} />
      <span>started {triggerLabel(run)}</span>
      {took !== null && <span>took {took}</span>}
      <span>{extentLabel(run)}</span>
      {run.isUnchanged && <span>the site hadn’t changed</span>}
    </p>
  );
}

/** The summary of a QA run. */
function Summary({ run }: { run: QaRun }): ReactElement | null {
  const text = plainText(run.summary ?? "").trim();
  if (text === "") return null;
  return (
    <section className="qa-summary" aria-labelledby="qa-summary">
      <h3 id="qa-summary">Summary</h3>
      {text.split(/\n{2,}/).map((paragraph) => (
        <p key={paragraph} dir="auto">
          {paragraph}
        </p>
      ))}
      {run.summaryBy === "model" && <p className="muted">Written by a model.</p>}
    </section>
  );
}

/** What wasn't checked, so that silence isn't mistaken for success. */
function NotChecked({ run }: { run: QaRun }): ReactElement | null {
  if (run.skippedChecks.length === 0) return null;
  return (
    <section className="qa-not-run" aria-labelledby="qa-not-run">
      <h3 id="qa-not-run">Not checked</h3>
      <ul>
        {run.skippedChecks.map(({ what, why }) => (
          <li key={`${what} ${why}`}>
            <b>{plainText(what)}</b> <span className="muted">{plainText(why)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Says that the newest QA run didn't complete, and why. */
export function UnfinishedRun({ run }: { run: QaRun }): ReactElement | null {
  if (run.status !== "failed" && run.status !== "aborted") return null;
  const failed = run.status === "failed";
  const why = plainText(run.error ?? "").trim();
  const words = why === "" || /[.!?…]$/.test(why) ? why : `${why}.`;
  return (
    <Notice
      kind={failed ? "error" : "warn"}
      quiet
      title={failed ? "The latest QA run failed." : "The latest QA run was stopped."}
    >
      {`${failed ? words : ""} Earlier findings are kept.`.trim()}
    </Notice>
  );
}

/** When the next QA run is due, and what happens automatically. */
export function Schedule({ overview }: { overview: QaOverview }): ReactElement {
  return (
    <p className="muted qa-schedule">
      <Elapsed ticking skew={0} tell={(now) => nextRunText(overview, now)} />{" "}
      {autofixText(overview.autofix)}
    </p>
  );
}

/** The last completed QA run; in brief, without its summary. */
export function LastRun(props: {
  run: QaRun;
  overview: QaOverview;
  brief?: boolean;
}): ReactElement {
  const { run, overview, brief } = props;
  const changed = changeLabel(run);
  const end = Date.parse(run.finishedAt ?? run.startedAt);
  return (
    <section className="qa-last" aria-labelledby="qa-last">
      <h2 id="qa-last">
        Last QA run <Elapsed ticking skew={0} tell={(now) => formatSince(now - end)} />
      </h2>
      <Facts run={run} />
      <p className="qa-counts">
        <b>{openCountLabel(overview.open)}</b>
        {changed !== null && <span className="muted"> · {changed}</span>}
        {overview.queued > 0 && <span className="muted"> · {overview.queued} being fixed</span>}
      </p>
      {!brief && <Summary run={run} />}
      {!brief && <NotChecked run={run} />}
    </section>
  );
}
