-- A task that makes a whole new project: what becomes of it, `draft` or `published`. Null for any
-- other task. `project_id` of such a task is the project, once there is one.
alter table task add column project_status text;
