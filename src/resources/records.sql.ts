/** How SQL reads and writes the records of a resource. */
export interface Resource {
  readonly table: string;
  /** The function that makes the JSON of a row; see `prisma/sql`. */
  readonly json: string;
  /** The function that makes a row with the next id and the defaults of its columns. */
  readonly newRow: string;
}

/** The records with these ids, in their order; null for one that does not exist. */
export const findSql = ({ table, json }: Resource): string => `
    select ${json}(found) as json
    from unnest((select $1::bigint[])) with ordinality as wanted (id, number)
    left join ${table} as found on found.id = wanted.id
    order by wanted.number`;

interface Creation {
  /** Common table expressions, such as locks of other rows, which may read `candidate`. Each ends with a comma. */
  readonly before?: string;
  /** What `rejection` is read from. */
  readonly from?: string;
  /** The outcome of a record that is not created; null for one that is. */
  readonly rejection?: string;
}

/**
 * Creates records, in request order, and stores the response if there is an Idempotency-Key. Returns one row for each
 * item, in order: its outcome, and the new record. A key is free if it was never used, even since the statement began, or
 * if its 24 hours are over. Of equal keys in a statement, the first may create; the others are `busy`.
 */
export const creationSql = (
  { table, json, newRow }: Resource,
  { before = '', from = 'candidate', rejection = 'null' }: Creation = {},
): string => `
    with input as materialized (
      select
        *,
        -- without a key, or with one that no earlier item and no other open transaction is using to create
        key is null or not is_used and row_number() over (partition by api_key_id, key order by number) = 1
          and pg_try_advisory_xact_lock(hashtextextended(key, api_key_id)) as holds_key
      from (
        select
          wanted.*,
          key is not null and exists (
            select from idempotency_keys as known
            where known.api_key_id = wanted.api_key_id and known.key = wanted.key and known.expires_at > now()) as is_used
        from unnest($1::jsonb[], $2::bigint[], $3::text[], $4::bytea[])
          with ordinality as wanted (members, api_key_id, key, fingerprint, number)) as wanted),
    -- a request whose key is used neither waits for a row nor affects other requests
    candidate as (
      select * from input where holds_key),${before}
    decided as (
      select candidate.*, ${rejection} as rejection
      from ${from}),
    creatable as materialized (
      select *, (record).id, ${json}(record) as json
      from (
        select *, jsonb_populate_record(${newRow}(), members) as record
        from decided
        where rejection is null
        order by number) as numbered),
    stored as (
      insert into idempotency_keys as stored (api_key_id, key, fingerprint, resource_id, answer, expires_at)
      select api_key_id, key, fingerprint, id, json, now() + interval '24 hours'
      from creatable
      where key is not null
      order by api_key_id, key
      on conflict (api_key_id, key) do update
        set fingerprint = excluded.fingerprint,
            resource_id = excluded.resource_id,
            answer = excluded.answer,
            expires_at = excluded.expires_at
        where stored.expires_at <= now()
      returning resource_id),
    free as (
      select * from creatable where key is null or id in (select resource_id from stored)),
    created as (
      insert into ${table}
      select (record).* from free)
    select
      case
        when input.is_used then 'used'
        when not input.holds_key then 'busy'
        when free.id is not null then 'created'
        else coalesce(decided.rejection, 'used')
      end as outcome,
      free.id, free.json
    from input
    left join decided on decided.number = input.number
    left join free on free.number = input.number
    order by input.number`;

interface Change {
  /** The outcome of a record that does not exist. */
  readonly absent: string;
  /** The columns that can change. */
  readonly columns: readonly string[];
  /** Common table expressions that lock rows of other tables first, each with a comma, and the join of `record` with them. */
  readonly locks?: { readonly before: string; readonly join: string };
  /** Branches of a `case` for changes from `record` to `wanted` that are not allowed. */
  readonly rules?: string;
  /** A further column of the result. */
  readonly also?: string;
}

/**
 * Changes the given members of records, each record once. One row for each item, in their order: its outcome, and the record as JSON if it
 * was changed or is unchanged. `locked`: the record would change, but another transaction has locked it.
 */
export const changeSql = (
  { table, json }: Resource,
  { absent, columns, locks, rules = '', also }: Change,
): string => `
    with input as materialized (
      select *
      from unnest($1::bigint[], $2::jsonb[], $3::text[], $4::text[])
        with ordinality as change (record_id, members, if_match, if_none_match, number)),${locks?.before ?? ''}
    -- rows are locked in the order of their ids, as everywhere
    held as materialized (
      select record
      from ${table} as record${locks === undefined ? '' : ` ${locks.join}`}
      where record.id = any(array(select record_id from input))
      order by record.id
      for no key update of record skip locked),
    -- locked rows as of the lock; others as of the start of the statement
    present as (
      select record, true as is_held from held
      union all
      select record, false
      from ${table} as record
      where id = any(array(select record_id from input)) and id <> all(array(select (record).id from held))),
    wanted as materialized (
      select *, jsonb_populate_record(record, members) as wanted
      from input
      left join present on (record).id = record_id),
    decided as materialized (
      select
        *,
        case
          when (record).id is null then '${absent}'
          when num_nonnulls(if_match, if_none_match) > 0
            and not meets_preconditions(${json}(record), if_match, if_none_match)
            then 'precondition_failed'
          when wanted is not distinct from record then 'unchanged'${rules}
          when is_held then 'changed'
          else 'locked'
        end as outcome
      from wanted),
    changed as (
      update ${table} as target
      set ${columns.map((column) => `${column} = (wanted).${column}`).join(', ')}
      from decided
      where target.id = record_id and outcome = 'changed'
      returning target as changed_record)
    select
      outcome,${also === undefined ? '' : ` ${also},`}
      case outcome when 'changed' then ${json}(changed_record) when 'unchanged' then ${json}(record) end as json
    from decided
    left join changed on (changed_record).id = record_id
    order by number`;

/**
 * Calls a function of the database for each item, in their order: with its id, further values and conditions.
 *
 * @param columns what it returns
 * @param further the types of the further values
 */
export const callSql = (call: string, columns: string, ...further: readonly string[]): string => {
  const types = ['bigint', ...further, 'text', 'text'];
  const names = types.map((_, index) => `value_${index + 1}`);
  return `
    select outcome.*
    from unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})
      with ordinality as item (${names.join(', ')}, number)
    cross join lateral ${call}(${names.join(', ')}) as outcome (${columns})
    order by number`;
};
