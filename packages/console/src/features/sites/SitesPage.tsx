import "../settings/settings.css";
import "./sites.css";

import { type ReactElement, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { SearchField } from "../../ui/SearchField.tsx";
import { type Address, useAddress, useSearchText } from "../../ui/search-params.ts";
import { Select } from "../../ui/Select.tsx";
import { PagedList } from "../queries/PagedList.tsx";
import { NewSiteDialog } from "./NewSiteDialog.tsx";
import { SiteJobs } from "./SiteJobs.tsx";
import { SitePage } from "./SitePage.tsx";
import { SiteRow } from "./SiteRow.tsx";
import {
  type ListedSite,
  perPage,
  type SitesView,
  useSiteList,
  useUsage,
  viewOf,
} from "./useSites.ts";

function Filters({ address, view }: { address: Address; view: SitesView }): ReactElement {
  return (
    <div className="filters">
      <SearchField label="Search names and domains" search={useSearchText(address)} />
      <Select
        label="State"
        visuallyHiddenLabel
        value={view.status ?? ""}
        options={[
          { value: "", label: "All states" },
          { value: "active", label: "Active" },
          { value: "suspended", label: "Suspended" },
          { value: "creating", label: "Not finished" },
        ]}
        onChange={(status) => address.change({ status, page: null })}
      />
    </div>
  );
}

function Sites({ items }: { items: readonly ListedSite[] }): ReactElement {
  const names = items.filter(({ status }) => status !== "creating").map(({ name }) => name);
  const { data } = useUsage(names);
  return (
    <ol className="entries" aria-label="Sites by name">
      {items.map((site) => (
        <SiteRow
          key={site.name}
          site={site}
          usage={data?.items.find(({ name }) => name === site.name)}
        />
      ))}
    </ol>
  );
}

function SiteListPage({ address, view }: { address: Address; view: SitesView }): ReactElement {
  const [isCreating, setCreating] = useState(view.isNew);
  const sites = useSiteList(view);
  const create = (
    <Button variant="primary" icon="add" onClick={() => setCreating(true)}>
      Create site
    </Button>
  );
  const isEmpty = sites.data?.total === 0 && !view.filtered;
  return (
    <div className="page sites">
      <PageHeader
        title="Sites"
        lead="Further sites of this installation. Each has its own owner, content, settings, and domains, and is kept apart from yours and from the others."
      >
        {!isEmpty && create}
      </PageHeader>
      <SiteJobs />
      {!isEmpty && <Filters address={address} view={view} />}
      <PagedList
        query={sites}
        address={address}
        view={view}
        perPage={perPage}
        noun="sites"
        skeleton={{ count: 4, shape: "row" }}
        filters={["q", "status"]}
        empty={
          <EmptyState action={create}>
            No further sites yet. Create one for another person or project; your own site stays as
            it is.
          </EmptyState>
        }
      >
        {({ items }) => <Sites items={items} />}
      </PagedList>
      {isCreating && (
        <NewSiteDialog
          domainSuffix={sites.data?.domainSuffix ?? null}
          onClose={() => {
            setCreating(false);
            address.change({ new: null }, "replace");
          }}
        />
      )}
    </div>
  );
}

/** The page of an installation's further sites, or of one of them. */
export function SitesPage(): ReactElement {
  const address = useAddress();
  const view = viewOf(address);
  if (view.site !== null) return <SitePage key={view.site} name={view.site} />;
  return <SiteListPage address={address} view={view} />;
}
