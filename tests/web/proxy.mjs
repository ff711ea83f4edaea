// Between the browser and the service: sees every request, can hold some back, and can be gone.
import http from 'node:http'
import { PassThrough } from 'node:stream'

const BODY = 1 << 26 // bytes of a request that is held

export async function between(target) {
  const agent = new http.Agent({ keepAlive: true })
  const sockets = new Set()
  const self = {
    target, // the service's address
    seen: [], // { method, path, at, headers, open } of each request; at: ms since 1970
    held: () => false, // is this request kept from the service? Asked again and again
    broken: () => null, // an answer to give instead: { status, type, body }
  }
  const server = http.createServer(async (request, response) => {
    const one = { method: request.method, path: request.url, at: Date.now(), headers: request.headers, open: true }
    self.seen.push(one)
    response.on('close', () => (one.open = false))
    const body = request.pipe(new PassThrough({ highWaterMark: BODY })) // read at once: nobody sees the end of a connection whose bytes wait to be read
    const instead = self.broken(one)
    if (instead) {
      body.resume()
      response.writeHead(instead.status, { 'Content-Type': instead.type })
      return response.end(instead.body)
    }
    while (one.open && self.held(one)) await new Promise((done) => setTimeout(done, 20))
    if (!one.open) return
    const up = http.request(new URL(request.url, self.target), { method: request.method, headers: request.headers, agent }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers)
      answer.pipe(response)
      answer.on('error', () => response.destroy())
      answer.on('aborted', () => response.destroy())
    })
    up.on('error', () => response.destroy())
    response.on('close', () => up.destroy())
    body.pipe(up)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const listen = (port) => new Promise((done) => server.listen(port, '127.0.0.1', done))
  await listen(0)
  const { port } = server.address()
  self.url = `http://127.0.0.1:${port}`
  self.down = () => new Promise((done) => {
    server.close(done)
    for (const socket of sockets) socket.destroy()
  })
  self.up = () => listen(port)
  return self
}
