import type { ReactElement } from "react";

import { useSite } from "../../api/context.tsx";
import type { QaOverview } from "../../api/types.ts";
import { formatTime } from "../../ui/format.ts";
import { Time } from "../time/Time.tsx";
import { chartOf, trendText } from "./chart.ts";

const width = 320;
const height = 88;

function Table({ trend }: { trend: QaOverview["trend"] }): ReactElement {
  return (
    <details className="qa-table">
      <summary>As a table</summary>
      <div className="qa-scroll" role="region" aria-label="QA runs" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">QA run</th>
              <th scope="col">Errors</th>
              <th scope="col">Warnings</th>
            </tr>
          </thead>
          <tbody>
            {trend.toReversed().map(({ id, at, counts }) => (
              <tr key={id}>
                <th scope="row">
                  <Time iso={at} />
                </th>
                <td>{counts.error}</td>
                <td>{counts.warning}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** The labels at both ends of the axis: days, or times of one day. */
function ends(first: string, last: string, timeZone: string): [string, string] {
  const days = [first, last].map((at) => formatTime(at, timeZone, true));
  const [from = "", to = ""] = days;
  if (from !== to) return [from, to];
  return [formatTime(first, timeZone), formatTime(last, timeZone).replace(`${to}, `, "")];
}

/** Errors and warnings in the stored QA runs: as a chart, a text, and a table. */
export function Trend({ trend }: { trend: QaOverview["trend"] }): ReactElement | null {
  const { timeZone } = useSite();
  const words = trendText(trend);
  const [first, last] = [trend[0], trend.at(-1)];
  if (words === null || !first || !last) return null;
  const [from, to] = ends(first.at, last.at, timeZone);
  const chart = chartOf(trend, width, height);
  return (
    <figure className="qa-trend">
      <figcaption>
        <span className="qa-key error">Errors</span>{" "}
        <span className="qa-key warning">Warnings</span>
      </figcaption>
      <div className="qa-chart" aria-hidden="true">
        <span className="qa-top">{chart.top}</span>
        <span className="qa-bottom">0</span>
        <svg viewBox={`0 -2 ${width} ${height + 4}`} preserveAspectRatio="none">
          <path
            className="qa-grid"
            d={`M0 0H${width}M0 ${height / 2}H${width}M0 ${height}H${width}`}
          />
          <path className="qa-line warning" d={chart.warning} />
          <path className="qa-line error" d={chart.error} />
        </svg>
        <span className="qa-from">{from}</span>
        <span className="qa-to">{to}</span>
      </div>
      <p className="muted">{words}</p>
      <Table trend={trend} />
    </figure>
  );
}
