// @vitest-environment jsdom
import { expect, test } from "vitest";

import { eventually } from "../../../../../test/support/eventually.ts";
import { render } from "../../api/test-render.tsx";
import type { QaFinding } from "../../api/types.ts";
import { FindingItem } from "./FindingItem.tsx";
import { groupFindings } from "./group-findings.ts";
import { makeFinding } from "./test-finding.ts";

async function textOf(part: Partial<QaFinding>, opened = false): Promise<string> {
  const [row] = groupFindings([makeFinding(part)])[0]?.rows ?? [];
  if (row === undefined) throw new Error("A finding makes no row.");
  const item = <FindingItem row={row} heading="h3" opened={opened} onRerun={() => {}} />;
  const { place, close } = render(item, {});
  await eventually(() => expect(place.textContent).toContain("The link leads nowhere."));
  const text = place.textContent ?? "";
  close();
  return text;
}

const unknown = "Its source hasn’t been looked up yet.";

test("says so until the source of an open finding has been looked up", async () => {
  expect(await textOf({ isAssessed: false })).toContain(unknown);
  expect(await textOf({ isAssessed: true })).not.toContain(unknown);
  expect(await textOf({ isAssessed: false, status: "fixed" })).not.toContain(unknown);
  const source = { kind: "file", file: "app/src/pages/about.astro", line: 3 } as const;
  expect(await textOf({ isAssessed: true, source })).toContain("about.astro");
});

test("says that all places come from one file of the source", async () => {
  const source = { kind: "file", file: "app/src/components/Card.astro", line: null } as const;
  const all = "All from app/src/components/Card.astro";
  expect(await textOf({ isAssessed: true, source, occurrenceCount: 12 }, true)).toContain(all);
  expect(await textOf({ isAssessed: true, source, occurrenceCount: 1 }, true)).not.toContain(all);
});
