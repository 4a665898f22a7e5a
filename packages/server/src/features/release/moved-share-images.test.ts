import { expect, test } from "vitest";
import { placeShareImages, withoutProjects } from "./moved-share-images.ts";

const quay = { src: "/media/quay.webp", alt: "A quay" };
const boats = { src: "/media/boats.webp", alt: "Boats" };
const pages = {
  projects: [
    { path: "/projects/ebb/", identity: "a" },
    { path: "/projects/tide/", identity: "b" },
  ],
  redirects: [{ from: "/projects/old/", to: "/projects/tide/" }],
};

test("an image follows the project it names; others follow addresses and redirects", () => {
  const chosen = {
    "/about/": quay,
    "/projects/tide/": { ...quay, project: "a" },
    "/projects/old/": boats,
    "/projects/gone/": { ...quay, project: "hidden" },
  };
  expect(placeShareImages(chosen, pages)).toEqual({
    "/about/": quay,
    "/projects/ebb/": quay,
    "/projects/old/": boats,
    "/projects/tide/": boats,
  });
});

test("of two entries for a project, the one at its address counts", () => {
  const entries = {
    "/projects/ebb/": { ...boats, project: "a" },
    "/x/": { ...quay, project: "a" },
  };
  expect(placeShareImages(entries, pages)).toEqual({ "/projects/ebb/": boats });
});

test("an export has no projects of this instance; text that isn't an object stays", () => {
  const chosen = { "/projects/ebb/": { ...quay, project: "a" }, "/about/": null };
  expect(withoutProjects(chosen)).toEqual({ "/projects/ebb/": quay, "/about/": null });
  expect(placeShareImages("text", pages)).toBe("text");
});
