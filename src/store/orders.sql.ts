import { statement } from '../database/statement.js';
import { listOf } from '../resources/lists.js';
import { changeSql, creationSql, findSql, type Resource } from '../resources/records.sql.js';

const ORDERS: Resource = { table: 'orders', json: 'order_json', newRow: 'new_order' };

export const LIST_ORDERS = listOf('list_orders', ORDERS, {
  status: { type: 'order_status', isRepeated: true },
  petId: { type: 'bigint', column: 'pet_id' },
});

export const FIND_ORDERS = statement('find_orders', findSql(ORDERS));

/**
 * The first order for a pet wins. The outcome is `locked` if a pet is available but another transaction has locked it. A trigger
 * of orders updates the pets.
 */
export const PLACE_ORDERS = statement(
  'place_orders',
  creationSql(ORDERS, {
    before: `
    wanted as materialized (
      select *, (members ->> 'pet_id')::bigint as pet_id from candidate),
    -- locked in the order of their ids, as everywhere; without those that other transactions have locked
    pet as materialized (
      select id, status
      from pets
      where id = any(array(select pet_id from wanted))
      order by id
      for no key update skip locked),`,
    from: 'wanted as candidate left join pet on pet.id = candidate.pet_id',
    rejection: `
        case
          when pet.id is null then coalesce(
            (select case status when 'available' then 'locked' else 'pet_not_available' end
             from pets
             where id = candidate.pet_id),
            'unknown_pet')
          when pet.status is distinct from 'available' then 'pet_not_available'
          when row_number() over (partition by candidate.pet_id order by number) > 1 then 'pet_not_available'
        end`,
  }),
);

/** The outcome is also `locked` if another transaction has locked the pet. A trigger on orders updates the pets. */
export const CHANGE_ORDERS = statement(
  'change_orders',
  changeSql(ORDERS, {
    absent: 'order_not_found',
    columns: ['status'],
    locks: {
      before: `
    -- the pets are locked before their orders, as everywhere
    pet as materialized (
      select id
      from pets
      where id = any(array(select pet_id from orders where id = any(array(select record_id from input))))
      order by id
      for no key update skip locked),`,
      join: 'join pet on pet.id = record.pet_id',
    },
    rules: `
          when not order_may_become((record).status, (wanted).status) then 'order_transition_not_allowed'`,
    also: '(record).status',
  }),
);
