import type { ReactElement } from "react";

import type { QaFinding, QaOverview } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { type Address, useSearchText } from "../../ui/search-params.ts";
import { SearchField } from "../../ui/SearchField.tsx";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { Select } from "../../ui/Select.tsx";
import { filterKeys, type View } from "./filters.ts";
import { categoryName, totalOf } from "./labels.ts";

interface FiltersProps {
  address: Address;
  view: View;
  overview: QaOverview;
  findings: readonly QaFinding[];
}

type Option = { value: string; label: string };

const severities: readonly Option[] = [
  { value: "", label: "Any severity" },
  { value: "error", label: "Errors" },
  { value: "warning", label: "Warnings" },
  { value: "notice", label: "Notices" },
];

const byLabel = (one: Option, other: Option): number => one.label.localeCompare(other.label, "en");

/** All options, including the current one even if nothing matches it any more. */
function optionsOf(all: string, chosen: string, found: ReadonlyMap<string, string>): Option[] {
  const known = new Map(found);
  if (chosen !== "" && !known.has(chosen)) known.set(chosen, plainText(chosen));
  const rest = [...known].map(([value, label]) => ({ value, label })).toSorted(byLabel);
  return [{ value: "", label: all }, ...rest];
}

/** The options: those of open findings, and those of the listed ones. */
function choices({ view, overview, findings }: FiltersProps) {
  const categories = new Map(
    [...overview.categories, ...findings].map(({ category }) => [category, categoryName(category)]),
  );
  const checks = new Map(
    [...overview.groups, ...findings].map(({ check, title }) => [check, plainText(title)]),
  );
  const pages = new Map(findings.map(({ pageUrl }) => [pageUrl, plainText(pageUrl)]));
  return [
    ["Severity", "severity", severities],
    ["Category", "category", optionsOf("Any category", view.category, categories)],
    ["Check", "check", optionsOf("Any check", view.check, checks)],
    ["Page", "url", optionsOf("Any page", view.url, pages)],
  ] as const;
}

/** The filters of the list, stored in the address. */
export function Filters(props: FiltersProps): ReactElement {
  const { address, view, overview } = props;
  const search = useSearchText(address);
  const none = Object.fromEntries(filterKeys.map((key) => [key, null]));
  return (
    <div className="filters qa-filters">
      <SegmentedControl
        legend="Status"
        value={view.status}
        options={[
          { value: "open", label: "Open", count: totalOf(overview.open) + overview.queued },
          { value: "ignored", label: "Ignored", count: overview.ignored },
          { value: "fixed", label: "Fixed" },
          { value: "all", label: "All" },
        ]}
        onChange={(status) =>
          address.change({ finding: null, status: status === "open" ? null : status })
        }
      />
      <SearchField label="Search findings" search={search} />
      <div className="qa-selects">
        {choices(props).map(([label, key, options]) => (
          <Select
            key={key}
            label={label}
            visuallyHiddenLabel
            value={view[key] ?? ""}
            options={options}
            onChange={(value) => address.change({ finding: null, [key]: value })}
          />
        ))}
        {view.filtered && <Button onClick={() => address.change(none)}>Clear filters</Button>}
      </div>
    </div>
  );
}
