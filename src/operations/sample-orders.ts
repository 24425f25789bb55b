import type { NewPet } from '../pets/pet.js';
import type { OrderStatus } from '../store/order.js';

/** Of the animals that nobody has spoken for, every so many was ordered once and the order cancelled. */
const AVAILABLE_PER_CANCELLED = 12;

/**
 * The status of each sample animal's order, or undefined where it has none: a pending animal has an open order, placed and
 * approved by turns, a sold one a delivered order, and some available ones a cancelled order.
 */
export function sampleOrders(pets: readonly NewPet[]): readonly (OrderStatus | undefined)[] {
  const seen = { available: 0, pending: 0, sold: 0 };
  return pets.map(({ status }) => {
    if (status === undefined) return undefined;
    const number = seen[status]++;
    if (status === 'sold') return 'delivered';
    if (status === 'pending') return number % 2 === 0 ? 'placed' : 'approved';
    return number % AVAILABLE_PER_CANCELLED === 0 ? 'cancelled' : undefined;
  });
}
