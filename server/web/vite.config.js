import { defineConfig } from 'vite'

// Addresses are relative, so that the pages work behind a proxy's base path; nothing is inlined, as the policy allows none.
export default defineConfig({
  base: './',
  worker: { format: 'es' },
  build: { rollupOptions: { input: ['index.html', 'docs.html'] }, target: 'es2020', assetsDir: 'assets', assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 800 },
  server: { fs: { allow: ['../..'] }, proxy: { '/v1': process.env.ARMDYN_URL ?? 'http://127.0.0.1:8080' } },
})
