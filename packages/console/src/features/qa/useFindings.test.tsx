// @vitest-environment jsdom
import type { ReactElement } from "react";
import { expect, test } from "vitest";

import { eventually } from "../../../../../test/support/eventually.ts";
import type { Client } from "../../api/client.ts";
import { render } from "../../api/test-render.tsx";
import { viewOf } from "./filters.ts";
import { makeFinding } from "./test-finding.ts";
import { useFindings } from "./useFindings.ts";

function List(): ReactElement {
  const found = useFindings(viewOf({ params: new URLSearchParams() }));
  return (
    <p>
      {found.findings.length} of {found.total}
      {found.hasMore && ", and more when asked for"}
    </p>
  );
}

test("the rest can be loaded even if a finding has moved to the next page", async () => {
  const get: Client["get"] = async <T,>(_path: string, query = {}) => {
    const page = Number((query as Record<string, unknown>)["page"]);
    // The last of the first page is the first of the second.
    const from = (page - 1) * 100 - (page === 2 ? 1 : 0);
    const items = Array.from({ length: 100 }, (_, index) => ({ id: from + index }));
    return { items, total: 700, page, perPage: 100 } as T;
  };
  const { place, close } = render(<List />, { get });
  await eventually(() => expect(place.textContent).toBe("499 of 700, and more when asked for"));
  close();
});

function FirstState(): ReactElement {
  const [first] = useFindings(viewOf({ params: new URLSearchParams() })).findings;
  return <p>{first && (first.isAssessed ? "assessed" : "not assessed")}</p>;
}

test("findings whose source is being looked up are loaded again until it is known", async () => {
  const finding = makeFinding({ isAssessed: false });
  const get: Client["get"] = async <T,>() =>
    ({ items: [{ ...finding }], total: 1, page: 1, perPage: 100 }) as T;
  const { place, close } = render(<FirstState />, { get });
  await eventually(() => expect(place.textContent).toBe("not assessed"));
  finding.isAssessed = true;
  await eventually(() => expect(place.textContent).toBe("assessed"));
  close();
});
