// 简体中文 for the sentences of the service, of api/report/sentences.zh.json, as reports say them, too. A sentence is looked for among the
// patterns first, whose {places} are taken over; one that is not among them is said by its code, with the numbers and names that it holds.
import { codes, sentences, words as WORDS } from '../../../../api/report/sentences.zh.json'

const CODES = Object.assign({}, ...Object.values(codes))
const PATTERNS = Object.values(sentences).flat()

const worded = (text) => text.split(', ').every((one) => WORDS[one]) ? text.split(', ').map((one) => WORDS[one]).join('、') : text

const special = /[.*+?^$()|[\]\\]/g
const compiled = PATTERNS.map(([english, chinese]) => {
  const names = [...english.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
  return { test: new RegExp(`^${english.replace(special, '\\$&')
    .replace(/\{rest\}/g, '(.+)').replace(/\{\w+\}/g, '((?:(?!\\. [A-Z0-9]).)+?)')}$`, 's'), names, chinese }
})

const UNITS = 'kg m\\^2|N m|rad\\/s|m\\/s|rad|Hz|kg|ms|MiB|%|s|m|N'
const FACT = new RegExp(`'([^']+)'|"([^"]+)"|(?<![\\w.])joint (\\w+)|(?<![\\w.])(-?\\d[\\d.]*\\d|-?\\d)(e[-+]?\\d+)?( ?(?:${UNITS}))?(?!\\w)`, 'g')
// What a sentence says in names and numbers.
const factsOf = (text) => [...new Set([...text.matchAll(FACT)].map((match) => (match[1] ?? match[2] ? `“${match[1] ?? match[2]}”` : match[3] ? `关节 ${match[3]}` : match[0])))].slice(0, 8).join('、')

const kept = new Map()

// By the patterns, the whole of it or each of its sentences; null where one is not among them.
function byPattern(text) {
  for (const { test, names, chinese } of compiled) {
    const match = text.match(test)
    if (!match) continue
    const value = (name) => match[names.indexOf(name) + 1]
    return chinese.replace(/\{(\w+)\}/g, (_, name) => (name === 'rest' ? translated(value(name)) : worded(value(name))))
  }
  const parts = text.trim().split(/(?<=\.) (?=[A-Z0-9])/)
  const said = parts.length > 1 && parts.map(byPattern)
  return said && said.every((one) => one !== null) ? said.join('') : null
}

function translated(text, code) {
  const known = byPattern(text)
  if (known !== null) return known
  if (!/[a-z]{2,} [a-z]{2,}/i.test(text)) return text // no sentence
  const facts = factsOf(text)
  const meaning = CODES[code] ?? code ?? '服务信息'
  return facts ? `${meaning}（${facts}）` : meaning
}

export function chinese(text, code) {
  const key = `${code} ${text}`
  if (kept.size > 2000) kept.clear()
  if (!kept.has(key)) kept.set(key, translated(text, code))
  return kept.get(key)
}
