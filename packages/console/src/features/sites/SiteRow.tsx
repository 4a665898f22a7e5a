import { Fragment, type ReactElement } from "react";

import { Url } from "../../ui/Url.tsx";
import { Time } from "../time/Time.tsx";
import { isFull, otherDomainsLabel, stateLabels, stateOf, usageLabel } from "./labels.ts";
import type { ListedSite, MeasuredSite } from "./useSites.ts";

export function StateBadge(props: {
  site: Pick<ListedSite, "status" | "isBusy" | "movedTo">;
}): ReactElement {
  const state = stateOf(props.site);
  return (
    <span className="badge" data-site={state}>
      {stateLabels[state]}
    </span>
  );
}

/** Whether a site has processes, how much it uses, and when it was last in use, once that is measured. */
export function Activity(props: {
  site: Pick<ListedSite, "status" | "isAwake">;
  usage: MeasuredSite | undefined;
}): ReactElement {
  const { site, usage } = props;
  const state = site.isAwake ? "Awake" : "Asleep";
  const parts = [
    ...(site.status === "active" ? [state] : []),
    ...(usage === undefined
      ? []
      : [
          <span key="disk" data-full={isFull(usage) || undefined}>
            {usageLabel(usage)}
            {isFull(usage) && " (full)"}
          </span>,
        ]),
    ...(usage === undefined || usage.activeAt === null || site.isAwake
      ? []
      : [
          <span key="active">
            last active <Time iso={usage.activeAt} />
          </span>,
        ]),
  ];
  return (
    <span className="muted">
      {parts.map((part, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a fixed order
        <Fragment key={at}>
          {at > 0 && " · "}
          {part}
        </Fragment>
      ))}
    </span>
  );
}

/** A site in the list, with what it uses. */
export function SiteRow(props: {
  site: ListedSite;
  usage: MeasuredSite | undefined;
}): ReactElement {
  const { site, usage } = props;
  const { name, address } = site;
  const isServed = site.status === "active";
  const host = address.replace(/^https?:\/\//, "");
  const manage = `/admin/sites?site=${encodeURIComponent(name)}`;
  return (
    <li className="entry site" data-site={name}>
      <div className="entry-words">
        <h2>
          <a href={manage}>{name}</a> <StateBadge site={site} />
        </h2>
        <p>
          {isServed ? (
            <a href={address} target="_blank" rel="noreferrer">
              <Url address={host} />
              <span className="unseen"> (opens in a new tab)</span>
            </a>
          ) : (
            <Url address={host} />
          )}{" "}
          {otherDomainsLabel(site.domainCount)}
        </p>
        {site.status !== "creating" && (
          <p>
            <Activity site={site} usage={usage} />
          </p>
        )}
      </div>
      <div className="actions">
        <a className="button" href={manage}>
          Manage<span className="unseen"> {name}</span>
        </a>
      </div>
    </li>
  );
}
