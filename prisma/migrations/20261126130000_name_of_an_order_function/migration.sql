-- Triggers refer to a function by its identity, so they and the release before are not affected.

alter function take_order_step() rename to enforce_order_transition;

comment on function enforce_order_transition is
  'Rejects transitions of an order that the state machine does not have, and sets updated_at.';
