import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The client and the styles of the other shop lie outside of this folder.
export default defineConfig({
  plugins: [react()],
  server: { fs: { allow: ['.', '../shop', '../../client'] } },
});
