// @vitest-environment jsdom
import type { ReactElement } from "react";
import { expect, test } from "vitest";

import { eventually } from "../../../../test/support/eventually.ts";
import { ApiError, sessionEnded } from "./client.ts";
import { render } from "./test-render.tsx";
import { useAction } from "./useAction.ts";

/** Two buttons that do one thing each, what is under way, and what was refused. */
function Buttons(props: { first(): Promise<void>; second(): Promise<void> }): ReactElement {
  const { pending, error, perform } = useAction();
  return (
    <>
      <button onClick={() => perform("first", props.first)}>First</button>
      <button onClick={() => perform("second", props.second)}>Second</button>
      <p>{`${pending ?? "idle"}: ${error?.message ?? "fine"}`}</p>
    </>
  );
}

test("while one action is running, no other starts", async () => {
  let end = (): void => {};
  const done: string[] = [];
  const first = async (): Promise<void> => {
    done.push("first");
    await new Promise<void>((resolve) => (end = resolve));
  };
  const second = async (): Promise<void> => void done.push("second");
  const { place, button, close } = render(<Buttons first={first} second={second} />, {});
  await eventually(() => button("First").click());
  await eventually(() => expect(place.textContent).toContain("first: fine"));
  button("Second").click();
  end();
  await eventually(() => expect(place.textContent).toContain("idle: fine"));
  expect(done).toEqual(["first"]);
  close();
});

test("an error is shown until the next attempt, an ended session is left to the shell", async () => {
  const refusals = [
    new ApiError("invalid_state", "It is over.", 409),
    new ApiError(sessionEnded, "Sign in.", 401),
  ];
  const first = (): Promise<void> => Promise.reject(refusals.shift() as ApiError);
  const { place, button, close } = render(<Buttons first={first} second={first} />, {});
  await eventually(() => button("First").click());
  await eventually(() => expect(place.textContent).toContain("idle: It is over."));
  button("Second").click();
  await eventually(() => {
    expect(refusals).toEqual([]);
    expect(place.textContent).toContain("idle: fine");
  });
  close();
});
