// The pets, a page after the other.
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Pet, PET_STATUSES, type PetStatus } from '@petstore/client';
import { useState } from 'react';
import { FormError } from './forms.js';
import { PetEditor } from './pet-editor.js';
import { PETS, useCategories, useStore } from './store.js';

export function Pets() {
  const store = useStore();
  const [status, setStatus] = useState<PetStatus>('available');
  const pets = useInfiniteQuery({
    queryKey: [PETS, status],
    queryFn: ({ pageParam: cursor, signal }) =>
      store.listPets({ status, sort: '-id', limit: 10, cursor, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  return (
    <section className="card">
      <h2>Pets</h2>
      <label>
        Status{' '}
        <select value={status} onChange={(event) => setStatus(event.target.value as PetStatus)}>
          {PET_STATUSES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <FormError error={pets.error} names={[]} />
      <ul id="pets" aria-busy={pets.isPending}>
        {pets.data?.pages
          .flatMap(({ items }) => items)
          .map((pet) => (
            <Row key={pet.id} pet={pet} />
          ))}
      </ul>
      {pets.hasNextPage && (
        <button type="button" className="plain" onClick={() => void pets.fetchNextPage()}>
          {pets.isFetchingNextPage ? 'Reading …' : 'More pets'}
        </button>
      )}
    </section>
  );
}

function Row({ pet }: { pet: Pet }) {
  const [isEdited, setEdited] = useState(false);
  const category = useCategories().get(pet.categoryId) ?? `category ${pet.categoryId}`;
  const { status = 'no status' } = pet;
  return (
    <li>
      <span>{pet.name}</span>
      <small>
        number {pet.id}, {category}
      </small>
      <span className={`state ${status}`}>{status}</span>
      <div>
        <button
          type="button"
          className="plain"
          aria-label={`Edit ${pet.name}`}
          onClick={() => setEdited(true)}
        >
          Edit
        </button>
        {isEdited && <PetEditor id={pet.id} onClose={() => setEdited(false)} />}
      </div>
    </li>
  );
}
