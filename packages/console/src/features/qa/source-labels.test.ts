import { expect, it } from "vitest";

import { editorAddressOf, sourceLabel } from "./source-labels.ts";

const record = { kind: "record", projectId: 7, slug: "tidewater", name: "Tidewater" } as const;

it("names the line of a file, or the field of a project", () => {
  const file = { kind: "file", file: "app/src/pages/about.astro", line: 12 } as const;
  expect(sourceLabel(file)).toBe("app/src/pages/about.astro:12");
  expect(sourceLabel({ ...file, line: null })).toBe("app/src/pages/about.astro");
  expect(sourceLabel({ ...record, field: "body", item: null })).toBe("Project Tidewater · Text");
  const image = { ...record, field: "gallery", item: 3 } as const;
  expect(sourceLabel(image)).toBe("Project Tidewater · Gallery, image 3");
});

it("links to the field in the editor", () => {
  const edit = "/admin/projects/edit?id=7";
  expect(editorAddressOf({ ...record, field: "body", item: null })).toBe(`${edit}#body`);
  expect(editorAddressOf({ ...record, field: "gallery", item: 3 })).toBe(`${edit}#gallery-3`);
});
