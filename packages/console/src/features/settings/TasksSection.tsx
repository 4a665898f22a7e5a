import type { ReactElement } from "react";

import { useForm } from "../forms/useForm.ts";
import { ChoiceCards } from "./ChoiceCards.tsx";
import { SettingForm } from "./SettingForm.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { type TasksView, useSaveSetting, useSetting } from "./useSettings.ts";

const choices = [
  {
    value: "all",
    label: "Everything that passes the checks",
    about:
      "Also changes beyond the task. New scripts, new external addresses, failed checks and private text still wait for you.",
  },
  {
    value: "safe",
    label: "Safe changes",
    about: "Only changes within the task that leave the rest of the site looking the same.",
  },
  { value: "nothing", label: "Nothing", about: "Every change waits for your review." },
] as const;

function TasksEditor({ tasks }: { tasks: TasksView }): ReactElement {
  const save = useSaveSetting("tasks", "Task queue settings saved.");
  const edited = useForm<TasksView>({
    before: tasks,
    saving: save,
    check: () => ({}),
    save: (form) => save.mutate(form),
  });
  return (
    <SettingForm edited={edited} label="Task queue" save="Save task queue settings">
      <ChoiceCards
        legend="Publish without review"
        choices={choices}
        chosen={edited.form.unattended}
        onChoose={(unattended) => edited.change({ unattended })}
      />
    </SettingForm>
  );
}

/** What goes live from the queue without review. */
export function TasksSection(): ReactElement {
  const tasks = useSetting("tasks");
  return (
    <SettingSection
      id="tasks"
      title="Task queue"
      about="What the Web Designer may publish from the queue without your review. This applies to QA fixes, too, and takes effect with the next result."
      setting={tasks}
      what="the task queue settings"
    >
      {(data) => <TasksEditor tasks={data} />}
    </SettingSection>
  );
}
