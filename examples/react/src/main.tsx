// The page: who uses which service, what its key has left, and the shop.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { PetStore } from '@petstore/client';
import { StrictMode, type SubmitEvent, useState } from 'react';
import { createRoot } from 'react-dom/client';
import '../../shop/shop.css';
import { textOf } from './forms.js';
import { NewPet } from './new-pet.js';
import { Pets } from './pets.js';
import { StoreContext } from './store.js';

function App() {
  const [connection, setConnection] = useState<{ store: PetStore; queries: QueryClient }>();
  const [limit, setLimit] = useState('');
  const [wait, setWait] = useState('');

  const connect = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const store = new PetStore({
      baseUrl: textOf(fields, 'baseUrl'),
      apiKey: textOf(fields, 'apiKey'),
      onResponse: ({ rateLimit }) => {
        setWait('');
        if (rateLimit !== undefined)
          setLimit(`${rateLimit.remaining} of ${rateLimit.limit} requests remaining`);
      },
      onWait: ({ waitMs }) => setWait(`No requests are left. Trying again ${inTime(waitMs)}.`),
      onRetry: ({ error, waitMs }) => setWait(`${error.message} Trying again ${inTime(waitMs)}.`),
    });
    // The client knows which requests may be repeated, and when.
    const defaultOptions = { queries: { retry: false, staleTime: 10_000 }, mutations: { retry: false } };
    // What a key has read is of that key alone.
    setConnection({ store, queries: new QueryClient({ defaultOptions }) });
  };

  return (
    <>
      <header>
        <h1>Pet shop</h1>
        <p id="limit">{limit}</p>
      </header>
      <main>
        <form id="connect" className="card" onSubmit={connect}>
          <label>
            Service <input name="baseUrl" type="url" defaultValue="http://localhost:3000/v1" required />
          </label>
          <label>
            API key <input name="apiKey" type="password" autoComplete="off" pattern="\S+" required />
          </label>
          <button>Connect</button>
        </form>
        <p id="message" role="status">
          {wait}
        </p>
        {connection && (
          <QueryClientProvider client={connection.queries}>
            <StoreContext value={connection.store}>
              <div id="shop">
                <Pets />
                <div className="side">
                  <NewPet />
                </div>
              </div>
            </StoreContext>
          </QueryClientProvider>
        )}
      </main>
    </>
  );
}

const inTime = (ms: number): string => `at ${new Date(Date.now() + ms).toLocaleTimeString()}`;

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
