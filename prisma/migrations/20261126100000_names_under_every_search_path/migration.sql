-- Functions that name tables work under every search_path, such as the empty one of pg_restore. Before, changes of pets and orders in
-- such a session failed with "relation does not exist". Functions of one SQL expression are parsed when they are created, and stay
-- without a setting, which would keep PostgreSQL from inlining them.

alter function take_order_step() set search_path = public, pg_temp;
alter function reserve_ordered_pets() set search_path = public, pg_temp;
alter function release_ordered_pets() set search_path = public, pg_temp;
alter function keep_ordered_pet_pending() set search_path = public, pg_temp;
alter function keep_orders_of_pet() set search_path = public, pg_temp;
alter function keep_orders_of_pets() set search_path = public, pg_temp;
alter function count_pets() set search_path = public, pg_temp;
alter function count_no_pets() set search_path = public, pg_temp;
alter function pet_inventory() set search_path = public, pg_temp;
alter function has_open_order(bigint) set search_path = public, pg_temp;
alter function delete_pet(bigint, text[]) set search_path = public, pg_temp;

comment on column api_keys.suspended_until is 'Until this time all requests of the key are rejected with 403 api_key_suspended.';
