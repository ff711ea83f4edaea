// Uploads, which tell how far they are; they leave through the worker that all tabs share (hub.js).
import { Problem, address, authorized, once } from './api.js'
import { listen, say } from './tab.js'

let uploads = 0

// An upload that tells how far it is: onProgress(part), null while it waits for others. Few run at a time, of all tabs (hub.js).
export function upload(path, query, file, type, onProgress, { method = 'POST', headers = once(), signal } = {}) {
  const id = ++uploads
  return new Promise((resolve, reject) => {
    const quiet = listen(({ progress, uploaded, part, status, text }) => {
      if (progress === id) onProgress(part)
      if (uploaded !== id) return
      quiet()
      let body = { detail: text.slice(0, 500) }
      try {
        body = JSON.parse(text)
      } catch {
        // a proxy's own page, or nothing
      }
      status >= 200 && status < 300 ? resolve(body) : reject(new Problem(status, status ? body : { title: 'offline', detail: 'offline' }))
    })
    signal?.addEventListener('abort', () => {
      quiet()
      say({ abort: id })
      reject(signal.reason)
    })
    onProgress(null)
    say({ upload: { id, method, url: address(path, query).href, headers: authorized({ 'Content-Type': type, ...headers }), body: file } })
  })
}
