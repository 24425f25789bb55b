// Forms whose fields show what the service says of each.
import { type FieldError, isPetStoreError, type PetStatus, PET_STATUSES } from '@petstore/client';
import { type ComponentProps, useId } from 'react';

/** A field without the white space around it. */
export function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** The pet of a form. */
export const petOf = (fields: FormData) => ({
  name: textOf(fields, 'name'),
  categoryId: textOf(fields, 'categoryId'),
  status: textOf(fields, 'status') as PetStatus,
});

const faultsOf = (error: unknown): readonly FieldError[] => (isPetStoreError(error) ? error.fields : []);

/** What no field of the form says. */
export function FormError({ error, names }: { error: Error | string | null; names: readonly string[] }) {
  if (error === null) return null;
  const faults = faultsOf(error);
  if (faults.length > 0 && faults.every(({ field }) => names.includes(field))) return null;
  return (
    <p className="fault" role="alert">
      {typeof error === 'string' ? error : error.message}
    </p>
  );
}

interface FieldProps extends ComponentProps<'input'> {
  readonly name: string;
  readonly label: string;
  readonly error: unknown;
}

export function Field({ label, error, ...input }: FieldProps) {
  const id = useId();
  const fault = faultsOf(error).find(({ field }) => field === input.name);
  return (
    <>
      <label>
        {label}{' '}
        <input
          {...input}
          aria-invalid={fault !== undefined}
          aria-describedby={fault && id}
          autoComplete="off"
        />
      </label>
      {fault && (
        <p id={id} className="fault">
          {fault.message}
        </p>
      )}
    </>
  );
}

export const PET_FIELDS = ['name', 'categoryId', 'status'];

interface PetFieldsProps {
  readonly error: unknown;
  readonly pet?: { readonly name: string; readonly categoryId: string; readonly status?: string };
}

/** The members of a pet. */
export function PetFields({ error, pet }: PetFieldsProps) {
  return (
    <>
      <Field name="name" label="Name" error={error} defaultValue={pet?.name} required />
      <Field name="categoryId" label="Category" error={error} defaultValue={pet?.categoryId} required />
      <label>
        Status{' '}
        <select name="status" defaultValue={pet === undefined ? 'available' : pet.status}>
          {pet !== undefined && pet.status === undefined && <option value="" />}
          {PET_STATUSES.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </label>
    </>
  );
}
