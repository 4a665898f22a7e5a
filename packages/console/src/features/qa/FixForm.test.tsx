// @vitest-environment jsdom
import { expect, test } from "vitest";

import { eventually } from "../../../../../test/support/eventually.ts";
import { render } from "../../api/test-render.tsx";
import type { QaFinding } from "../../api/types.ts";
import { FixForm } from "./FixForm.tsx";

async function show(...refusals: QaFinding["fix"]["refusal"][]) {
  const findings = refusals.map(
    (refusal, id) => ({ id, fix: { kind: "model", refusal } }) as unknown as QaFinding,
  );
  let asked = 0;
  const { place, close } = render(
    <FixForm
      findings={findings}
      busy={false}
      error={null}
      onFix={() => (asked += 1)}
      onIgnore={() => {}}
    />,
    {},
  );
  const button = await eventually(() => {
    const found = place.querySelector<HTMLButtonElement>("button[type=submit]");
    if (found === null) throw new Error("Nothing is shown yet.");
    return found;
  });
  button.click();
  return { asked: () => asked, button, text: place.textContent, close };
}

test("a fix that needs a missing model says so and requests nothing", async () => {
  const { asked, button, text, close } = await show("no_model");
  expect(asked()).toBe(0);
  expect(button.getAttribute("aria-disabled")).toBe("true");
  expect(text).toContain("Needs a model. Set up a model");
  close();
});

test("what can be fixed is requested, also if only a part can", async () => {
  for (const refusals of [[null], ["no_model", null]] as const) {
    const { asked, text, close } = await show(...refusals);
    expect(asked()).toBe(1);
    expect(text).not.toContain("Needs a model");
    close();
  }
});
