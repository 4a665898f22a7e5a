import { type ReactElement, useId, useState } from "react";

import type { QaRun, QaFinding } from "../../api/types.ts";
import {
  type CheckGroup,
  type FindingRow,
  groupFindings,
} from "../../features/qa/group-findings.ts";
import { formatMoment } from "../../features/qa/labels.ts";
import { Severity } from "../../features/qa/Severity.tsx";
import { useRowFocus } from "../../features/qa/useRowFocus.ts";
import { RefusalNotice } from "../../features/shared/RefusalNotice.tsx";
import { Button } from "../../ui/Button.tsx";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { QaRow } from "./QaRow.tsx";
import { type OpenFindings, useOpenFindings } from "./useOpenFindings.ts";
import { useQa } from "./useQa.ts";

interface Acts {
  /** Puts the console aside where it hides the page. */
  onAside(): void;
  /** Tells a result to who listens. */
  onAnnounce(words: string): void;
  /** Something has changed. */
  onChange(): void;
}

/** So many groups and less are open from the start. */
const fewGroups = 3;
/** So many rows are shown before more are asked for. */
const fewRows = 5;

function Rows(props: Acts & { rows: readonly FindingRow[]; here: boolean }): ReactElement {
  const { rows, ...acts } = props;
  const [all, setAll] = useState(false);
  return (
    <>
      <ul>
        {(all ? rows : rows.slice(0, fewRows)).map((row) => (
          <QaRow key={row.key} row={row} {...acts} />
        ))}
      </ul>
      {!all && rows.length > fewRows && (
        <Button variant="small" onClick={() => setAll(true)}>
          Show all {rows.length}
        </Button>
      )}
    </>
  );
}

function Group(props: Acts & { group: CheckGroup; opened: boolean }): ReactElement {
  const { group, opened, ...acts } = props;
  const [open, setOpen] = useState(opened);
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h4 id={id}>
        <button type="button" className="line" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="chevron" />
          <Severity severity={group.severity} critical={group.critical} />
          <span className="qa-title">{plainText(group.title)}</span>
          <span className="quiet">{group.total}</span>
        </button>
      </h4>
      {open && <Rows rows={group.rows} here={false} {...acts} />}
    </section>
  );
}

function Here(props: Acts & { findings: readonly QaFinding[] }): ReactElement {
  const { findings, ...acts } = props;
  const rows = groupFindings(findings).flatMap((group) => group.rows);
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>
        On this page <span className="quiet">{findings.length}</span>
      </h3>
      {rows.length === 0 ? (
        <p className="quiet">Nothing is open on this page.</p>
      ) : (
        <Rows rows={rows} here {...acts} />
      )}
    </section>
  );
}

function Elsewhere(props: Acts & { found: OpenFindings }): ReactElement | null {
  const { found, ...acts } = props;
  const groups = groupFindings(found.others);
  const id = useId();
  if (groups.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>
        Elsewhere <span className="quiet">{found.others.length + found.unlisted}</span>
      </h3>
      {groups.map((group) => (
        <Group key={group.check} group={group} opened={groups.length <= fewGroups} {...acts} />
      ))}
      {found.unlisted > 0 && (
        <p className="quiet">
          {formatCount(found.unlisted, "finding")} more: <a href="/admin/qa">see the report</a>.
        </p>
      )}
    </section>
  );
}

/** That all is well, and since when. */
function lastRunText(last: QaRun | null): string {
  const at = last?.finishedAt ?? null;
  if (at === null) return "Nothing to mend.";
  return `Nothing to mend: the pass of ${formatMoment(at)} left nothing open.`;
}

/** Nothing is open: all is well, or all that is found is ignored. */
function Nothing(): ReactElement {
  const { overview } = useQa();
  const ignored = overview?.ignored ?? 0;
  if (ignored === 0) {
    return (
      <div className="empty">
        <p>{lastRunText(overview?.lastRun ?? null)}</p>
      </div>
    );
  }
  return (
    <div className="empty">
      <p>All that was found is ignored.</p>
      <a className="button" href="/admin/qa?status=ignored">
        Show {formatCount(ignored, "ignored finding")}
      </a>
    </div>
  );
}

/** What is open: first of this page, then of the others by check. */
export function QaList(props: Omit<Acts, "onChange">): ReactElement {
  const { refresh } = useQa();
  const found = useOpenFindings();
  const { list, onFocus } = useRowFocus<HTMLDivElement>();
  const acts: Acts = {
    ...props,
    onChange() {
      found.read();
      refresh();
    },
  };
  const { here, others, error } = found;
  return (
    <div ref={list} onFocus={(event) => onFocus(event.target)}>
      {error !== null && (
        <RefusalNotice
          error={error}
          {...(here === null ? {} : { kept: "What is shown is from before." })}
        >
          <Button variant="small" onClick={found.read}>
            Retry
          </Button>
        </RefusalNotice>
      )}
      {here === null && error === null && <Skeleton count={4} shape="line" />}
      {here !== null && here.length + others.length === 0 && <Nothing />}
      {here !== null && here.length + others.length > 0 && (
        <>
          <Here findings={here} {...acts} />
          <Elsewhere found={found} {...acts} />
        </>
      )}
    </div>
  );
}
