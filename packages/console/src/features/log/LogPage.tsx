import "./log.css";

import type { ReactElement } from "react";

import { type Address, useAddress } from "../../ui/search-params.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { PagedList } from "../queries/PagedList.tsx";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { Select } from "../../ui/Select.tsx";
import { Time } from "../time/Time.tsx";
import { type LogItem, type LogView, perPage, useLog, viewOf } from "./useLog.ts";

const outcomeLabels: Readonly<Record<LogItem["outcome"], string>> = {
  success: "Signed in",
  failure: "Refused",
  throttled: "Too many attempts",
};
const methodLabels: Readonly<Record<LogItem["method"], string>> = {
  password: "by password",
  link: "by secret link",
};

function Filters({ address, view }: { address: Address; view: LogView }): ReactElement {
  return (
    <div className="filters">
      <SegmentedControl
        legend="Outcome"
        value={view.outcome ?? ""}
        options={[
          { value: "", label: "All" },
          { value: "success", label: outcomeLabels.success },
          { value: "failure", label: outcomeLabels.failure },
          { value: "throttled", label: outcomeLabels.throttled },
        ]}
        onChange={(outcome) => address.change({ outcome, page: null })}
      />
      <Select
        label="Method"
        visuallyHiddenLabel
        value={view.method ?? ""}
        options={[
          { value: "", label: "Password and link" },
          { value: "password", label: "Password only" },
          { value: "link", label: "Secret link only" },
        ]}
        onChange={(method) => address.change({ method, page: null })}
      />
    </div>
  );
}

function Attempt({ item }: { item: LogItem }): ReactElement {
  return (
    <li className="attempt" data-outcome={item.outcome}>
      <p>
        <b>{outcomeLabels[item.outcome]}</b> {methodLabels[item.method]}
      </p>
      <p>
        <Time iso={item.at} />
      </p>
      <p>
        <span className="unseen">From </span>
        <code>{item.ip}</code>
      </p>
      <p className="muted agent">{item.userAgent || "Unknown browser"}</p>
    </li>
  );
}

/** The page of admin sign-in attempts. */
export function LogPage(): ReactElement {
  const address = useAddress();
  const view = viewOf(address);
  const log = useLog(view);
  return (
    <div className="page">
      <PageHeader
        below="settings"
        title="Sign-ins"
        lead="Every attempt to sign in as the admin. The newest 10,000 of each outcome are kept."
      />
      <Filters address={address} view={view} />
      <PagedList
        query={log}
        address={address}
        view={view}
        perPage={perPage}
        noun="attempts"
        skeleton={{ count: 8, shape: "row" }}
        filters={["outcome", "method"]}
        empty={<EmptyState>No sign-in attempts yet.</EmptyState>}
      >
        {({ items }) => (
          <ol className="attempts" aria-label="Attempts to sign in, newest first">
            {items.map((item) => (
              <Attempt key={item.id} item={item} />
            ))}
          </ol>
        )}
      </PagedList>
    </div>
  );
}
