import type { Source, SourceAgent } from "../../../../server/src/features/resources/schema.ts";

export type { Source, SourceAgent } from "../../../../server/src/features/resources/schema.ts";

/** Maximum characters of each text. */
export const bounds = { title: 140, url: 500, notes: 2000 } as const;

/** The kinds of agents that a source can be for, in the order of the page, and what they do. */
export const kinds: readonly { value: SourceAgent; label: string; about: string }[] = [
  { value: "all", label: "All agents", about: "Every agent reads these." },
  { value: "editor", label: "Editor", about: "Changes the site’s pages when you ask." },
  {
    value: "designer",
    label: "Web Designer",
    about: "Builds project pages from images and works on tasks.",
  },
  { value: "drafter", label: "Drafter", about: "Writes a project’s text from a brief." },
  { value: "qa", label: "QA", about: "Writes the summary of a QA run." },
];

/** A source in the form. */
export type SourceForm = Pick<Source, "agent" | "title" | "url" | "notes" | "enabled">;

export function formOf(source: Source | null): SourceForm {
  if (source === null) return { agent: "all", title: "", url: "", notes: "", enabled: true };
  const { agent, title, url, notes, enabled } = source;
  return { agent, title, url, notes, enabled };
}

/** Missing fields that don't need the server to detect. */
export function missing(form: SourceForm): Record<string, string> {
  const url = form.url.trim();
  return {
    ...(form.title.trim() === "" && { title: "Enter a name." }),
    ...(url !== "" &&
      !/^https?:\/\/[^\s/]/i.test(url) && {
        url: "Enter an address that starts with https:// or http://.",
      }),
    ...(url === "" &&
      form.notes.trim() === "" && { notes: "Enter an address or describe what to follow." }),
  };
}
