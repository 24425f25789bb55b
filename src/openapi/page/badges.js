// Methods and statuses, each in its colour.
import { element } from './dom.js';

/** @param {string} method */
export const methodBadge = (method) => element('span', { class: `method ${method.toLowerCase()}` }, method);

/** @param {string | number} status */
export const statusBadge = (status) =>
  element('span', { class: `status s${String(status).charAt(0)}` }, String(status));
