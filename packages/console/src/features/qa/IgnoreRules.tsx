import { type ReactElement, useState } from "react";

import type { IgnoreRule } from "../../api/types.ts";
import { useWholeList } from "../../api/fetch-all-pages.ts";
import { useChange } from "../../api/useChange.ts";
import { Button } from "../../ui/Button.tsx";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { ErrorState } from "../errors/ErrorState.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";
import { Time } from "../time/Time.tsx";
import { api, rulesKey } from "./useOverview.ts";

/** What a rule hides. */
function about({ kind, check, pageUrl }: IgnoreRule): string {
  if (kind === "baseline") return "Ignore existing issues: everything that was open then";
  const where = pageUrl === null ? "everywhere" : `on ${plainText(pageUrl)}`;
  return kind === "finding" || check === null ? "One finding alone" : `${check} ${where}`;
}

function Rule({ rule }: { rule: IgnoreRule }): ReactElement {
  const undo = useChange({
    send: (client) => client.post(`${api}/unignore`, { id: rule.id }),
    announcement: () => `${formatCount(rule.findings, "finding")} no longer ignored.`,
    updateCache: () => document.querySelector<HTMLElement>("#qa-rules-toggle")?.focus(),
    awaited: [["qa"]],
  });
  return (
    <li>
      <div className="qa-rule-words">
        <p>
          <b>{about(rule)}</b>{" "}
          {rule.kind !== "finding" && (
            <span className="muted">{formatCount(rule.findings, "finding")}</span>
          )}
        </p>
        <p dir="auto">{plainText(rule.reason)}</p>
        <p className="muted qa-facts">
          <span>by {plainText(rule.by)}</span>
          <Time iso={rule.at} />
          <span>
            {rule.until === null ? (
              "permanently"
            ) : (
              <>
                until <Time iso={rule.until} />
              </>
            )}
          </span>
        </p>
      </div>
      <Button busy={undo.isPending} label={`Undo: ${about(rule)}`} onClick={() => undo.mutate()}>
        Undo
      </Button>
      <ErrorState
        what="Couldn’t undo the rule."
        error={undo.error}
        note="It still applies."
        busy={undo.isPending}
        onRetry={() => undo.mutate()}
      />
    </li>
  );
}

function Rules(): ReactElement {
  const rules = useWholeList<IgnoreRule>(rulesKey, `${api}/ignores`, ({ id }) => id);
  return (
    <QueryBody
      query={rules}
      what="the rules"
      skeleton={{ count: 2, shape: "row", label: "Loading rules…" }}
    >
      {({ items }) =>
        items.length === 0 ? (
          <p className="muted">Nothing is ignored.</p>
        ) : (
          <ul className="qa-rules">
            {items.map((rule) => (
              <Rule key={rule.id} rule={rule} />
            ))}
          </ul>
        )
      }
    </QueryBody>
  );
}

/** Ignore rules with their reasons, each with a button to end it. */
export function IgnoreRules(): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <section className="qa-ignored" aria-labelledby="qa-rules">
      <h2 id="qa-rules">
        <button
          type="button"
          id="qa-rules-toggle"
          className="qa-toggle"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Icon name="chevron" />
          Ignore rules
        </button>
      </h2>
      {open && <Rules />}
    </section>
  );
}
