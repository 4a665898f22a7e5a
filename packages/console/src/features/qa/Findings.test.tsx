// @vitest-environment jsdom
import { expect, test } from "vitest";

import { eventually } from "../../../../../test/support/eventually.ts";
import type { Client } from "../../api/client.ts";
import { render } from "../../api/test-render.tsx";
import type { QaRun, QaOverview } from "../../api/types.ts";
import { viewOf } from "./filters.ts";
import { Findings } from "./Findings.tsx";

const none = { error: 0, warning: 0, notice: 0 };
const address = { params: new URLSearchParams(), change() {} };

test.each([
  [{ pages: 14, links: 120 }, "No issues. Checked 14 pages, 120 links on 22 Nov"],
  // A program of the command line that has found nothing.
  [{ pages: 0, links: 0 }, "No issues. Last checked 22 Nov"],
])("without findings, only what was checked is shown: %j", async (extent, words) => {
  const at = "2026-11-22T10:00:00.000Z";
  const last = { ...extent, startedAt: at, finishedAt: at, browserPages: 0, isUnchanged: false };
  const known = { open: none, queued: 0, ignored: 0, categories: [], groups: [] };
  const overview = { ...known, lastRun: last as QaRun } as unknown as QaOverview;
  const get: Client["get"] = async <T,>() => ({ items: [], total: 0, page: 1, perPage: 100 }) as T;
  const { place, close } = render(
    <Findings overview={overview} address={address} view={viewOf(address)} onRerun={() => {}} />,
    { get },
  );
  await eventually(() => expect(place.textContent).toContain(words));
  close();
});
