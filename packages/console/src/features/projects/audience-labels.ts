import type { ProjectDetail } from "../../api/types.ts";

export type Audience = ProjectDetail["audience"];

/** Whom a project can be for, as the field says it. */
export const audiences: readonly { value: Audience; label: string }[] = [
  { value: "everyone", label: "Everyone" },
  { value: "members", label: "People with an account" },
  { value: "invited", label: "Only people I invite" },
];

/** The small mark of a project that is not for everybody. */
export const audienceMarks: Readonly<Record<Exclude<Audience, "everyone">, string>> = {
  members: "Members",
  invited: "Invited",
};

/** What the choice means, in a sentence. */
export const audienceHints: Readonly<Record<Audience, string>> = {
  everyone: "Anyone can see it once it’s published.",
  members:
    "It isn’t on the public site, and neither are its images. Once it’s published, anyone with an account can see it after signing in.",
  invited:
    "It isn’t on the public site, and neither are its images. Once it’s published, people you invite can see it after signing in.",
};
