// @vitest-environment jsdom
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";

import { eventually } from "../../../../../test/support/eventually.ts";
import type { Client } from "../../api/client.ts";
import { ConsoleContext } from "../../api/context.tsx";
import { QaTab } from "./QaTab.tsx";
import { type Qa, QaContext } from "./useQa.ts";

test("until anything is known of the checks, the tab says that it loads", async () => {
  const place = document.createElement("div");
  const root = createRoot(place);
  const page = { client: {} as Client, path: "/", site: null, announce() {} };
  const show = (qa: Pick<Qa, "overview" | "error">): void =>
    root.render(
      <ConsoleContext value={page}>
        <QaContext value={{ api: {} as Qa["api"], refresh() {}, ...qa }}>
          <QaTab onAside={() => {}} />
        </QaContext>
      </ConsoleContext>,
    );
  show({ overview: null, error: null });
  await eventually(() => expect(place.textContent).toContain("Loading…"));
  const overview = { running: null, last: null } as unknown as Qa["overview"];
  show({ overview, error: null });
  await eventually(() => expect(place.textContent).toContain("not been looked at yet"));
  expect(place.textContent).not.toContain("Loading…");
  root.unmount();
});
