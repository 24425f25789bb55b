import { escapeIdentifier } from 'pg';

export const TABLES = [
  'plans',
  'api_keys',
  'api_key_secrets',
  'api_key_counters',
  'api_key_usage',
  'api_key_usage_hours',
  'api_key_bans',
  'pets',
  'orders',
  'pet_counts',
  'idempotency_keys',
  'audit_log',
  '_prisma_migrations',
];

export const VIEWS = [
  'api_key_overview',
  'api_key_daily_usage',
  'plan_overview',
  'noisiest_api_keys',
  'expiring_api_keys',
  'api_key_hourly_usage',
  'busiest_api_keys',
  'api_keys_near_limit',
  'deprecated_operation_callers',
  'recent_bans',
  'unused_api_keys',
  'usage_hours_gaps',
];

/** Those that the dashboard reads. */
export const SERVICE_VIEWS = [
  'api_key_overview',
  'api_key_daily_usage',
  'api_key_hourly_usage',
  'deprecated_operation_callers',
  'expiring_api_keys',
  'recent_bans',
];

/** Calls of all that operators may call. */
export const OPERATOR_CALLS = [
  `issue_api_key('Other', 'free')`,
  `rotate_api_key(1, '1 hour')`,
  'revoke_api_key(1)',
  `set_api_key_plan(1, 'free')`,
  'set_api_key_limits(1, 5, 50)',
  `suspend_api_key(1, lasting => '1 hour')`,
  'resume_api_key(1)',
  'unban_api_key(1)',
  `set_api_key_expiry(1, 'infinity')`,
  `set_api_key_access(1, 'read')`,
  'reset_api_key_usage(1)',
  `set_plan('pro', per_minute => 5)`,
  `create_plan('new', 5, 50)`,
];

/** The role of the tests on this server. */
const OWNER = escapeIdentifier(new URL(process.env['TEST_DATABASE_URL'] ?? '').username);

/** Statements that only the owner may run. */
export const OWNERS_ALONE = [
  'create table mine (id int)',
  'create temporary table mine (id int)',
  'create view mine as select 1',
  'create function mine() returns int language sql as $$ select 1 $$',
  'create type mine as enum ()',
  'create schema mine',
  'create role mine',
  'create extension pg_trgm',
  `do $$ begin create index on pets (name); end $$`,
  'alter table pets add column mine int',
  'alter table api_keys disable trigger all',
  'alter view api_key_overview rename to mine',
  `alter function issue_api_key rename to mine`,
  'create trigger mine after insert on pets for each statement execute function audit_changes()',
  'drop table orders',
  'drop function revoke_api_key',
  `set role ${OWNER}`,
  'set session_replication_role = replica',
  ...TABLES.filter((table) => !['plans', 'api_keys', 'api_key_secrets'].includes(table)).map(
    (table) => `truncate ${table}`,
  ),
  'truncate plans, api_keys, api_key_secrets',
  `insert into audit_log (changed_at, role, action, table_name) values (now(), 'other', 'insert', 'plans')`,
  `update audit_log set role = 'other'`,
  'delete from audit_log',
  `update _prisma_migrations set checksum = ''`,
  'delete from _prisma_migrations',
  `select add_api_key_secret(1)`,
  `select random_base62(5)`,
  `insert into api_key_secrets (hash, api_key_id, prefix) values (sha256(''), 1, 'psk_00000000')`,
  `update api_key_secrets set hash = sha256('')`,
  `update api_key_secrets set api_key_id = 1`,
  'delete from api_key_secrets',
  'delete from api_keys',
  'update api_keys set id = 2',
  'update api_keys set created_at = now()',
  'delete from api_key_counters',
  'delete from pet_counts',
  'select lo_create(0)',
  `select lo_from_bytea(0, '')`,
];
