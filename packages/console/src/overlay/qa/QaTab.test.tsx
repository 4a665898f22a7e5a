// @vitest-environment jsdom
import { expect, test } from "vitest";

import { eventually } from "../../../../../test/support/eventually.ts";
import type { Changed, Client } from "../../api/client.ts";
import { render } from "../../api/test-render.tsx";
import { QaTab } from "./QaTab.tsx";

const none = { error: 0, warning: 0, notice: 0 };
const overview = { currentRun: null, lastRun: null, open: none, queued: 0, ignored: 0, groups: [] };

test("until the checks are known, the tab says that it is loading", async () => {
  let response = (_overview: object): void => {};
  const asked = new Promise<object>((resolve) => {
    response = resolve;
  });
  const getChanged = async <T,>() => ({ data: (await asked) as T, etag: null }) as Changed<T>;
  const get: Client["get"] = async <T,>() => ({ items: [], total: 0, page: 1, perPage: 1 }) as T;
  const { place, close } = render(<QaTab onAside={() => {}} />, { getChanged, get });
  await eventually(() => expect(place.textContent).toContain("Loading…"));
  response(overview);
  await eventually(() => expect(place.textContent).toContain("hasn’t checked the site yet"));
  expect(place.textContent).not.toContain("Loading…");
  close();
});
