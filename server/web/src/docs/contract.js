// The OpenAPI document of the service that serves this page, and ways through it.
const METHODS = ['get', 'put', 'post', 'patch', 'delete']

export async function fetchContract() {
  const answer = await fetch(new URL('v1/openapi.json', new URL('.', document.baseURI.split('#')[0])), { credentials: 'omit' })
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`)
  return new Contract(await answer.json())
}

export const nameOf = (reference) => reference.split('/').pop()

export class Contract {
  constructor(document) {
    this.document = document
    this.operations = Object.entries(document.paths).flatMap(([path, item]) => METHODS.filter((method) => item[method]).map((method) => ({
      ...item[method], method, path,
      parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])].map((one) => this.resolve(one)),
    })))
  }

  // A node, or what it refers to; what stands beside a reference goes before what it refers to.
  resolve(node) {
    if (!node?.$ref) return node
    const target = node.$ref.slice(2).split('/').reduce((at, part) => at[part.replaceAll('~1', '/').replaceAll('~0', '~')], this.document)
    const { $ref, ...beside } = node
    return { ...this.resolve(target), ...beside }
  }

  groups(words) {
    const found = this.operations.filter((one) => matches(one, words))
    return this.document.tags.map((tag) => ({ ...tag, operations: found.filter((one) => one.tags[0] === tag.name) })).filter((group) => group.operations.length)
  }

  operation(id) {
    return this.operations.find((one) => one.operationId === id)
  }

  schema(name) {
    return this.document.components.schemas[name]
  }
}

function matches({ operationId, method, path, summary, description = '' }, words) {
  const text = `${operationId} ${method} ${path} ${summary} ${description}`.toLowerCase()
  return words.toLowerCase().split(/\s+/).every((word) => text.includes(word))
}
