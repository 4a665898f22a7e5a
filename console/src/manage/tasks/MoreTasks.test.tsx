// @vitest-environment jsdom
import type { ReactElement } from "react";
import { expect, test, vi } from "vitest";

import { eventually } from "../../../../test/support/eventually.ts";
import type { Client } from "../client.ts";
import { render } from "../render-for-tests.tsx";
import type { Task } from "../types.ts";
import { MoreTasks } from "./MoreTasks.tsx";
import { seldom } from "./polling.ts";
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

test("the tasks beyond those of the board move on as well: by themselves, and when one is changed", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
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
  await vi.advanceTimersByTimeAsync(seldom);
  await shown(53);
  close();
  vi.useRealTimers();
});
