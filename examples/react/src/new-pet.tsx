// A form that adds a pet.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NewPet as Members } from '@petstore/client';
import { FormError, PET_FIELDS, PetFields, petOf } from './forms.js';
import { PETS, useStore } from './store.js';

export function NewPet() {
  const store = useStore();
  const queries = useQueryClient();
  const creation = useMutation({
    mutationFn: (pet: Members) => store.createPet(pet),
    onSuccess: () => queries.invalidateQueries({ queryKey: [PETS] }),
  });
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        // A second click would add a second pet.
        if (!creation.isPending)
          creation.mutate(petOf(new FormData(form)), { onSuccess: () => form.reset() });
      }}
    >
      <h2>Add a pet</h2>
      <FormError error={creation.error} names={PET_FIELDS} />
      <PetFields error={creation.error} />
      <button aria-busy={creation.isPending}>Add</button>
      <p role="status">{creation.data && `${creation.data.name} has the number ${creation.data.id}.`}</p>
    </form>
  );
}
