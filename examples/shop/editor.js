// The form that changes a pet. Its ETag travels with it, so that a change of somebody else is never overwritten unseen.
import { PetStoreError } from '@petstore/client';
import { attempt, byId, clearFaults, dialogOf, element, formOf, isBusy, on, text } from './page.js';

/**
 * @typedef {import('@petstore/client').Pet} Pet
 * @typedef {import('@petstore/client').PetStatus} PetStatus
 * @typedef {import('@petstore/client').PetStore} PetStore
 */

/** @type {PetStore} */
let store;

/** The pet as it was read, its version, and what to do with it after the change. @type {{ pet: Pet, etag: string | undefined, saved: Saved }} */
let editing;

/** @typedef {(pet: Pet) => Promise<void>} Saved */

/** The fields of the form, with what people call them. */
const FIELDS = /** @type {const} */ ({ name: 'Name', categoryId: 'Category', status: 'Status' });
const NAMES = /** @type {(keyof typeof FIELDS)[]} */ (Object.keys(FIELDS));

/**
 * Opens the form with the pet as it is now.
 * @param {PetStore} withStore
 * @param {string} id
 * @param {Saved} saved
 */
export async function editPet(withStore, id, saved) {
  store = withStore;
  fill(await read(id), saved);
  dialogOf('editor').showModal();
}

/** The pet and its version. @param {string} id */
async function read(id) {
  const { value: pet, response } = await store.findPet(id).withResponse();
  if (pet === undefined) throw new Error('The pet was deleted meanwhile.');
  return { pet, etag: response.etag };
}

/**
 * @param {{ pet: Pet, etag: string | undefined }} read
 * @param {Saved} saved
 */
function fill({ pet, etag }, saved) {
  editing = { pet, etag, saved };
  clearFaults(formOf('edit'));
  const { elements } = formOf('edit');
  for (const name of NAMES) {
    const field = /** @type {HTMLInputElement | HTMLSelectElement} */ (elements.namedItem(name));
    field.value = pet[name] ?? '';
  }
}

on('edit', 'submit', async (fields) => {
  const { pet, etag, saved } = editing;
  const change = Object.fromEntries(
    NAMES.filter((name) => text(fields, name) !== (pet[name] ?? '')).map((name) => [
      name,
      text(fields, name),
    ]),
  );
  try {
    const changed =
      Object.keys(change).length === 0 ? pet : await store.changePet(pet.id, change, { ifMatch: etag });
    dialogOf('editor').close();
    // The dialog is closed: its errors belong to the page.
    void attempt(byId('pets'), () => saved(changed), 'change');
  } catch (error) {
    if (!(error instanceof PetStoreError && error.code === 'precondition_failed')) throw error;
    await showConflict(fields);
  }
});

// A change that is under way may still be made: what became of it must be seen.
byId('edit-cancel').addEventListener('click', () => {
  if (!isBusy(formOf('edit'))) dialogOf('editor').close();
});
dialogOf('editor').addEventListener('cancel', (event) => {
  if (isBusy(formOf('edit'))) event.preventDefault();
});

/**
 * Somebody else has changed the pet: the user decides.
 * @param {FormData} mine
 */
async function showConflict(mine) {
  const theirs = await read(editing.pet.id);
  const cells = NAMES.map((name) => [FIELDS[name], text(mine, name), theirs.pet[name] ?? '']);
  const rows = cells.map(([title, ...values]) =>
    element(
      'tr',
      { className: values[0] === values[1] ? '' : 'different' },
      element('th', { scope: 'row', textContent: title ?? '' }),
      ...values.map((textContent) => element('td', { textContent })),
    ),
  );
  byId('versions').replaceChildren(...rows);
  const dialog = dialogOf('conflict');
  dialog.returnValue = '';
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  if (dialog.returnValue === 'theirs') fill(theirs, editing.saved);
  if (dialog.returnValue !== 'mine') return;
  // The next attempt is about the version that the user has seen.
  editing = { ...theirs, saved: editing.saved };
  setTimeout(() => formOf('edit').requestSubmit());
}
