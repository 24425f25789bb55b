create or replace trigger audit_log_only_added_to
  before update or delete or truncate on audit_log
  for each statement execute function reject_change(
    'the audit log is append-only', 'The owner can disable this trigger to delete old entries.');
