// @vitest-environment jsdom
import { expect, test, vi } from "vitest";

import { eventually } from "../../../../../test/support/eventually.ts";
import { ApiError } from "../../api/client.ts";
import { render } from "../../api/test-render.tsx";
import { expectRebuild, RebuildBanner, rebuildKey } from "./RebuildBanner.tsx";

test("if the builder doesn't respond, nothing is said about the site", async () => {
  const get = vi.fn().mockResolvedValue({ state: "idle" });
  const { place, queries, close } = render(<RebuildBanner />, { get });
  const look = () => queries.refetchQueries({ queryKey: rebuildKey });
  const said = (words: string) => eventually(() => expect(place.textContent).toContain(words));
  await said("The site is up to date.");
  get.mockRejectedValue(new ApiError("unavailable", "Down.", 502));
  await look();
  await said("Couldn’t check the live site.");
  expect(place.textContent).not.toContain("up to date");
  get.mockResolvedValue({ state: "failed", error: "It broke." });
  await look();
  await said("It broke.");
  close();
});

test("right after a change to a page, the site isn't said to be up to date", async () => {
  const get = vi.fn().mockResolvedValue({ state: "idle" });
  const { place, queries, close } = render(<RebuildBanner />, { get });
  const said = (words: string) => eventually(() => expect(place.textContent).toContain(words));
  await said("The site is up to date.");
  const answer = Promise.withResolvers<{ state: string }>();
  get.mockReturnValue(answer.promise);
  expectRebuild(queries);
  await said("The site is being updated…");
  expect(place.textContent).not.toContain("up to date");
  answer.resolve({ state: "idle" });
  await said("The site is up to date.");
  close();
});
