comment on type order_status is 'The states of an order.';
