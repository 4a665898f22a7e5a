import type { ProjectDetail } from "../../api/types.ts";

export type Audience = ProjectDetail["audience"];

/** Audiences as shown in the field. */
export const audiences: readonly { value: Audience; label: string }[] = [
  { value: "everyone", label: "Everyone" },
  { value: "members", label: "People with an account" },
  { value: "invited", label: "Only people I invite" },
];

/** The badge of a restricted project. */
export const audienceMarks: Readonly<Record<Exclude<Audience, "everyone">, string>> = {
  members: "Members",
  invited: "Invited",
};

/** What an audience means, as a sentence. */
export const audienceHints: Readonly<Record<Audience, string>> = {
  everyone: "Anyone can see it once it’s published.",
  members:
    "It isn’t on the public site, and neither are its images. Once it’s published, anyone with an account can see it after signing in.",
  invited:
    "It isn’t on the public site, and neither are its images. Once it’s published, people you invite can see it after signing in.",
};
