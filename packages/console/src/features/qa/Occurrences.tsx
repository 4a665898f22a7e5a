import type { ReactElement } from "react";

import type { QaFinding } from "../../api/types.ts";
import { plainText } from "../../ui/plain-text.ts";
import type { FindingRow } from "./group-findings.ts";
import { linkTo } from "./labels.ts";
import { sourceLabel } from "./source-labels.ts";

type Occurrence = QaFinding["occurrences"][number];

/** Beyond this number, only the total is shown. */
const maxShown = 50;

function Place({ place }: { place: Occurrence }): ReactElement {
  const href = linkTo(place.page);
  const page = plainText(place.page);
  const text = plainText(place.text).trim();
  return (
    <li>
      {href === null ? (
        <span>{page}</span>
      ) : (
        <a href={href} target="_blank" rel="noopener">
          {page}
        </a>
      )}
      {place.line !== null && <span className="muted"> line {place.line}</span>}
      {text !== "" && <span className="muted"> “{text}”</span>}
      {place.selector !== "" && <code>{plainText(place.selector)}</code>}
    </li>
  );
}

function locationsOf({ findings }: FindingRow): Occurrence[] {
  const none = { selector: "", line: null, text: "" };
  const all = findings.flatMap(({ pageUrl, occurrences }) =>
    occurrences.length > 0 ? occurrences : [{ page: pageUrl, ...none }],
  );
  const keys = new Set<string>();
  return all.filter((place) => {
    const key = JSON.stringify(place);
    return !keys.has(key) && keys.add(key);
  });
}

/** All stored occurrences. */
export function Occurrences({ row }: { row: FindingRow }): ReactElement {
  const places = locationsOf(row);
  const total = row.findings.reduce(
    (sum, { occurrenceCount, occurrences }) =>
      sum + Math.max(occurrenceCount, occurrences.length, 1),
    0,
  );
  const source = row.findings.length === 1 ? row.findings[0]?.source : undefined;
  const shown = places.slice(0, maxShown);
  return (
    <div className="qa-places">
      <h4>{total === 1 ? "Place" : `${total} places`}</h4>
      {total > 1 && source?.kind === "file" && (
        <p className="muted">
          All from <code className="qa-address">{sourceLabel(source)}</code>
        </p>
      )}
      <ul>
        {shown.map((place) => (
          <Place key={JSON.stringify(place)} place={place} />
        ))}
      </ul>
      {total > shown.length && <p className="muted">and {total - shown.length} more</p>}
    </div>
  );
}
