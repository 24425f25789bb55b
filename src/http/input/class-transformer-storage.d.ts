/** What the decorators of class-transformer have said: the package has types for it, but not where it can be imported from. */
declare module 'class-transformer/cjs/storage.js' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage.js';
}
