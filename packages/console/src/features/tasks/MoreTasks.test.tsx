// @vitest-environment jsdom
import { useIsFetching } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { eventually } from "../../../../../test/support/eventually.ts";
import { type Client, ApiError } from "../../api/client.ts";
import { render } from "../../api/test-render.tsx";
import type { Task } from "../../api/types.ts";
import { MoreTasks } from "./MoreTasks.tsx";
import { slowIntervalMs } from "./polling.ts";
import { useTaskActions } from "./useTaskActions.ts";

const task = (id: number) => ({ id, title: `Task ${id}`, status: "queued" }) as Task;

function Card({ id }: { id: number }): ReactElement {
  const actions = useTaskActions(task(id));
  return (
    <li>
      <button type="button" onClick={() => actions.mutate("cancel")}>
        Cancel {id}
      </button>
    </li>
  );
}

/** How many requests are under way, as the page has drawn it. */
function Requests(): ReactElement {
  return <output>{useIsFetching()}</output>;
}

/** The others of a column of so many, whose pages are answered in this way. */
function renderMore(total: number, response: (page: number) => Promise<number[]>) {
  const get: Client["get"] = async <T,>(_path: string, query = {}) => {
    const page = Number((query as Record<string, unknown>)["page"]);
    return { items: (await response(page)).map(task), total, page, perPage: 50 } as T;
  };
  const more = (
    <>
      <MoreTasks column="queued" known={[]} total={total}>
        {({ id }) => <li key={id}>{id}</li>}
      </MoreTasks>
      <Requests />
    </>
  );
  const rendered = render(more, { get });
  const texts = (selector: string) =>
    [...rendered.place.querySelectorAll(selector)].map(({ textContent }) => textContent);
  const underWay = (count: number) =>
    eventually(() => expect(texts("output")).toEqual([String(count)]));
  return { ...rendered, texts, underWay };
}

const refusal = () => new ApiError("unavailable", "The server is away.", 503);

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

test("tasks beyond the board update as well: automatically, and when one is changed", async () => {
  let queued = [51, 52, 53];
  let asked = 0;
  const get: Client["get"] = async <T,>() => {
    asked += 1;
    return { items: queued.map(task), total: 50 + queued.length, page: 2, perPage: 50 } as T;
  };
  const post: Client["post"] = async <T,>(_path: string, body: object) => {
    const { id } = body as { id: number };
    queued = queued.filter((one) => one !== id);
    return { ...task(id), status: "cancelled" } as T;
  };
  const { place, queries, button, close } = render(
    <MoreTasks column="queued" known={[]} total={53}>
      {({ id }) => <Card key={id} id={id} />}
    </MoreTasks>,
    { get, post },
  );
  const shown = (...ids: number[]) =>
    eventually(() => {
      const cards = [...place.querySelectorAll("li")].map(({ textContent }) => textContent);
      expect(cards).toEqual(ids.map((id) => `Cancel ${id}`));
    });
  await eventually(() => button("Show more").click());
  await shown(51, 52, 53);
  const before = asked;
  button("Cancel 52").click();
  await eventually(() => expect([queued.length, queries.isMutating()]).toEqual([2, 0]));
  expect(asked).toBeGreaterThan(before);
  await shown(51, 53);
  // A runner has taken this one up.
  queued = [53];
  await vi.advanceTimersByTimeAsync(slowIntervalMs);
  await shown(53);
  close();
});

test("an automatic refresh shows no button, and nothing if it fails", async () => {
  let response = async (): Promise<number[]> => [51, 52];
  const { button, texts, underWay, close } = renderMore(52, () => response());
  await eventually(() => button("Show more").click());
  await eventually(() => expect(texts("li")).toEqual(["51", "52"]));
  await eventually(() => expect(texts("button")).toEqual([]));
  const look = Promise.withResolvers<number[]>();
  response = () => look.promise;
  await vi.advanceTimersByTimeAsync(slowIntervalMs);
  await underWay(1);
  expect(texts("button")).toEqual([]);
  look.reject(refusal());
  await underWay(0);
  expect([texts("li"), texts("button"), texts("[role=alert]")]).toEqual([["51", "52"], [], []]);
  close();
});

test("what failed to load can be loaded again, page by page", async () => {
  let away = true;
  const pages = [[51, 52], [101]];
  const { button, texts, close } = renderMore(101, async (page) => {
    if (away) throw refusal();
    return pages[page - 2] ?? [];
  });
  const refused = () => eventually(() => expect(texts("[role=alert]")).toHaveLength(1));
  await eventually(() => button("Show more").click());
  await refused();
  away = false;
  button("Retry").click();
  await eventually(() => expect([texts("li"), texts("[role=alert]")]).toEqual([["51", "52"], []]));
  away = true;
  button("Show more").click();
  await refused();
  expect(texts("li")).toEqual(["51", "52"]);
  away = false;
  button("Retry").click();
  await eventually(() => expect(texts("li")).toEqual(["51", "52", "101"]));
  await eventually(() => expect(texts("button, [role=alert]")).toEqual([]));
  close();
});
