// The client of the service, and what all parts read with it.
import { type InfiniteData, useQuery } from '@tanstack/react-query';
import type { Page, Pet, PetStore } from '@petstore/client';
import { createContext, use } from 'react';

export const StoreContext = createContext<PetStore | undefined>(undefined);

export function useStore(): PetStore {
  const store = use(StoreContext);
  if (store === undefined) throw new Error('There is no store above this component.');
  return store;
}

/** Lists of pets begin with it, so that all of them are changed and read anew together. */
export const PETS = 'pets';

export type PetPages = InfiniteData<Page<Pet>>;

/** More than a list to choose from can show. */
const CATEGORIES_MAX = 500;

/** The names of categories, by their ids. */
export function useCategories(): ReadonlyMap<string, string> {
  const store = useStore();
  const { data = [] } = useQuery({
    queryKey: ['categories'],
    queryFn: ({ signal }) => store.categories({ limit: 100, signal }).toArray(CATEGORIES_MAX),
  });
  return new Map(data.map(({ id, name }) => [id, name]));
}
