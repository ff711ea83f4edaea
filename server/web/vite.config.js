import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { defineConfig } from 'vite'

// The licences of what the pages carry, as one text made from the lock file: `import address from 'virtual:licences'`.
function licences() {
  const id = 'virtual:licences'
  const carried = Object.entries(JSON.parse(readFileSync('package-lock.json')).packages).filter(([at, one]) => at && !one.dev)
  const text = carried.map(([at, { version, license }]) => `${at.replace('node_modules/', '')} ${version} (${license})\n\n${readFileSync(`${at}/LICENSE`, 'utf8').trim()}\n`).join(`\n${'-'.repeat(80)}\n\n`)
  let built = true
  return {
    name: 'licences',
    configResolved: ({ command }) => void (built = command === 'build'),
    resolveId: (asked) => (asked === id ? `\0${id}` : null),
    load(asked) {
      if (asked !== `\0${id}`) return null
      return `export default ${built ? `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'asset', name: 'licences.txt', source: text })}` : JSON.stringify(`data:text/plain,${encodeURIComponent(text)}`)}`
    },
  }
}

// The lists of the contract (api/lists.py), so that no page repeats one: `import { ARMDYN_LAW_LIST } from 'virtual:lists'`.
function lists() {
  const id = 'virtual:lists'
  const named = (all) => Object.entries(all).map(([name, texts]) => `export const ${name.replace('.', '_')} = ${JSON.stringify(texts)}`).join('\n')
  return {
    name: 'lists',
    resolveId: (asked) => (asked === id ? `\0${id}` : null),
    load: (asked) => (asked === `\0${id}` ? named(JSON.parse(execFileSync('/usr/bin/env', ['python3', '../../api/lists.py']))) : null),
  }
}

// A page's own parts are fetched when it asks for them: the first page would have to know them all. Addresses are relative, so that the pages work behind a proxy's base path; nothing is inlined, as the policy allows none.
export default defineConfig({
  base: './',
  plugins: [licences(), lists()],
  worker: { format: 'es' },
  build: { rollupOptions: { input: ['index.html', 'docs.html'] }, target: 'es2020', assetsDir: 'assets', assetsInlineLimit: 0, modulePreload: { polyfill: false, resolveDependencies: (_, parts, { hostType }) => (hostType === 'html' ? parts : []) }, chunkSizeWarningLimit: 800 },
  server: { fs: { allow: ['../..'] }, proxy: { '/v1': process.env.ARMDYN_URL ?? 'http://127.0.0.1:8080' } },
})
