// A dialog that changes a pet. The list shows the change at once, and the pet as it was if the service rejects it. The ETag of what was read
// goes with the change, so that nothing of somebody else is overwritten unseen.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { isPetStoreError, type Pet } from '@petstore/client';
import { FormError, PET_FIELDS, PetFields, petOf } from './forms.js';
import { type PetPages, PETS, useStore } from './store.js';

type Members = Partial<ReturnType<typeof petOf>>;

interface Change {
  readonly members: Members;
  readonly etag: string | undefined;
}

export function PetEditor({ id, onClose }: { id: string; onClose: () => void }) {
  const store = useStore();
  const queries = useQueryClient();
  const read = useQuery({
    queryKey: ['pet', id],
    queryFn: async ({ signal }) => {
      const { value, response } = await store.findPet(id, { signal }).withResponse();
      return value === undefined ? null : { pet: value, etag: response.etag };
    },
    // Not while somebody types, and not from the cache.
    ...{ gcTime: 0, staleTime: Infinity },
  });
  const change = useMutation({
    mutationFn: ({ members, etag }: Change) => store.changePet(id, members, { ifMatch: etag }),
    onMutate: async ({ members }) => {
      await queries.cancelQueries({ queryKey: [PETS] });
      const before = queries.getQueriesData<PetPages>({ queryKey: [PETS] });
      queries.setQueriesData<PetPages>({ queryKey: [PETS] }, (pages) => pages && withPet(pages, id, members));
      return before;
    },
    onError: async (error, _change, before = []) => {
      for (const [key, pages] of before) queries.setQueryData(key, pages);
      if (isPetStoreError(error) && error.code === 'precondition_failed') await read.refetch();
    },
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: [PETS] }),
  });
  const { data } = read;
  const isConflict = isPetStoreError(change.error) && change.error.code === 'precondition_failed';
  const why = isConflict ? 'Somebody else has changed this pet. This is how it is now.' : change.error;
  return (
    <dialog ref={showModal} onClose={onClose} aria-label="Edit a pet">
      <FormError error={data === null ? 'The pet was deleted.' : (why ?? read.error)} names={PET_FIELDS} />
      <form
        // Another version of the pet is another form.
        key={data?.etag}
        onSubmit={(event) => {
          event.preventDefault();
          if (!data) return;
          const members = changesOf(data.pet, new FormData(event.currentTarget));
          if (Object.keys(members).length === 0) onClose();
          else change.mutate({ members, etag: data.etag });
        }}
      >
        {data && <PetFields error={change.error} pet={data.pet} />}
        <div className="actions">
          <button type="button" className="plain" onClick={onClose}>
            Close
          </button>
          <button disabled={!data || change.isPending}>Save</button>
        </div>
      </form>
    </dialog>
  );
}

/** React may call it twice. */
function showModal(dialog: HTMLDialogElement | null): void {
  if (dialog?.open === false) dialog.showModal();
}

/** What differs: members that nobody has touched stay as they are. */
const changesOf = (pet: Pet, fields: FormData): Members =>
  Object.fromEntries(
    Object.entries(petOf(fields)).filter(([name, value]) => value !== (pet[name as keyof Pet] ?? '')),
  );

const withPet = (pages: PetPages, id: string, members: Members): PetPages => ({
  ...pages,
  pages: pages.pages.map((page) => ({
    ...page,
    items: page.items.map((pet) => (pet.id === id ? { ...pet, ...members } : pet)),
  })),
});
