import type { Answers } from "./useSetup.ts";

/** The steps in order. */
export const steps = [
  { id: "start", title: "Start" },
  { id: "you", title: "You" },
  { id: "about", title: "Portrait and text" },
  { id: "services", title: "Services" },
  { id: "theme", title: "Theme" },
  { id: "model", title: "Model" },
  { id: "mail", title: "Email" },
  { id: "publish", title: "Preview and publish" },
] as const;
export type StepId = (typeof steps)[number]["id"];

export const stepIds = steps.map(({ id }) => id);

/** The previous or next step; null at either end. */
export function neighbor(id: StepId, by: -1 | 1): StepId | null {
  return stepIds[stepIds.indexOf(id) + by] ?? null;
}

const answered: Readonly<Partial<Record<StepId, readonly (keyof Answers)[]>>> = {
  you: ["name", "role", "place", "email"],
  about: ["portrait", "about"],
  services: ["services"],
  theme: ["theme"],
  model: ["model"],
};

/** Whether a step has an answer. */
export function isAnswered(id: StepId, answers: Answers): boolean {
  return (answered[id] ?? []).some((name) => answers[name] !== undefined);
}

/** Where the setup continues: at the first step without an answer. */
export function nextOpenStep(answers: Answers): StepId {
  if (Object.keys(answers).length === 0) return "start";
  const open = stepIds.find((id) => id !== "model" && answered[id] && !isAnswered(id, answers));
  return open ?? "publish";
}
