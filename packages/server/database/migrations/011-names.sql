-- Tables, columns and stored values under the names that the rest of the product uses. The program
-- skips a rename that has happened already, see platform/db/rename.ts.

alter table finding_pass rename to finding_run;
alter table finding_run rename column pass_id to run_id;

alter table qa_pass rename to qa_run;
alter table qa_run rename column fresh to new_findings;
alter table qa_run rename column fixed to fixed_findings;
alter table qa_run rename column reopened to reopened_findings;
alter table qa_run rename column not_run to skipped_checks;
alter table qa_run rename column seen_at to heartbeat_at;
alter table qa_run rename column stop_at to stop_requested_at;
alter table qa_run rename column unchanged to is_unchanged;

alter table finding rename column first_pass_id to first_run_id;
alter table finding rename column last_pass_id to last_run_id;
alter table finding rename column safe to is_safe;

alter table qa_resource rename column known to metadata;
alter table qa_resource rename column missed to missed_runs;
alter table qa_external rename column known to metadata;
alter table qa_site rename column known to metadata;

alter table outbox_mail rename to outbox_email;
alter table contact_message rename column mail_id to email_id;
alter table invitation rename column mail_id to email_id;

alter table run_notice rename to run_notification;
alter table run_notification rename column settled_at to processed_at;
alter table task_notice rename to task_notification;
alter table task_notification rename column settled_at to processed_at;

alter table task rename column lapsed_at to expired_at;
alter table run rename column restores to restored_run_id;
alter table run_request rename column origin_run to origin_run_id;
alter table members_build rename column made_of to input_hash;

update outbox_email set purpose = 'account_exists' where purpose = 'known';
update run_notification set outcome = 'emailed' where outcome = 'mailed';
update task_notification set outcome = 'emailed' where outcome = 'mailed';
update qa_run set progress = replace(progress, '"found":', '"findings":')
  where progress is not null;
-- Quotes inside of a text are escaped in JSON: a quoted word before a colon is a key.
update qa_resource set metadata =
  replace(replace(replace(replace(replace(metadata,
    '"browserSeen":', '"browserVisited":'), '"shown":', '"rendered":'),
    '"places":', '"fragmentTargets":'), '"cut":', '"truncated":'), '"unseen":', '"hidden":');
update qa_external set metadata = replace(metadata, '"badPasses":', '"badRuns":');
update finding set reporter = 'external' where reporter = 'outside';
update setting set key = 'theme' where key = 'look';
