// @vitest-environment jsdom
import { expect, test } from "vitest";

import { eventually } from "../../../../../test/support/eventually.ts";
import { ApiError } from "../../api/client.ts";
import { render } from "../../api/test-render.tsx";
import { RefusalNotice } from "./RefusalNotice.tsx";

test.each([
  ["upstream_failed", "The key was refused. Check the key under Settings → Model."],
  ["model_not_configured", "Questions need a model. Choose one under Settings → Model."],
  ["model_not_configured", "No model is chosen."],
])("an error about a missing model links to its settings: %s, %s", async (code, message) => {
  const error = new ApiError(code, message, 503);
  const { place, close } = render(<RefusalNotice error={error} note="It is kept." />, {});
  await eventually(() => expect(place.textContent).toContain(`${message} It is kept.`));
  const links = [...place.querySelectorAll("a")].map((link) => link.getAttribute("href"));
  expect(links).toEqual(["/admin/settings#model"]);
  close();
});

test("any other error has no link", async () => {
  const { place, close } = render(
    <RefusalNotice error={new ApiError("locked", "Busy.", 409)} />,
    {},
  );
  await eventually(() => expect(place.textContent).toContain("Busy."));
  expect(place.querySelector("a")).toBeNull();
  close();
});
