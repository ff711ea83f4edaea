// What the programs of steps share: claims, waiting, and telling how each step went.
export const equal = (got, wanted, what) => {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`)
}
export const sure = (holds, what) => {
  if (!holds) throw new Error(what)
}
export const until = async (holds, what) => {
  for (const end = Date.now() + 60000; !(await holds()); await new Promise((done) => setTimeout(done, 50))) sure(Date.now() < end, `${what} did not come`)
}

// The service as a program calls it; whole: { data, etag }.
export const caller = (url, key) => async (method, path, body, headers = {}, whole = false) => {
  const answer = await fetch(url() + path, { method, headers: { Authorization: `Bearer ${key}`, ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers }, body: body && JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  const data = answer.status === 204 ? null : await answer.json()
  return whole ? { data, etag: answer.headers.get('ETag') } : data
}

// Run the steps of an object in its order, each on what those before it left: a line of JSON for each, { name, ok, why, seconds }. The
// first failure ends the run. failed(): what is to be told then; it may take a picture.
export async function run(label, steps, failed) {
  const say = (name, ok, why = '') => console.log(JSON.stringify({ name: `${label}: ${name}`, ok, why, seconds: Math.round(performance.now() / 100) / 10 }))
  let name
  try {
    for (name of Object.keys(steps)) {
      await steps[name]()
      say(name, true)
    }
  } catch (error) {
    say(name, false, `${error.stack}\n${await failed()}`)
    process.exitCode = 1
  }
}
