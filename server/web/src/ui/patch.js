// JSON Merge Patch (RFC 7396): what makes `now` of `former`.
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)

export function mergePatch(former, now) {
  const patch = Object.fromEntries(Object.keys(former).filter((name) => now[name] === undefined).map((name) => [name, null]))
  for (const [name, value] of Object.entries(now)) {
    if (value === undefined || JSON.stringify(value) === JSON.stringify(former[name])) continue
    patch[name] = isObject(value) && isObject(former[name]) ? mergePatch(former[name], value) : value
  }
  return patch
}
