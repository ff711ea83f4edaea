// What a layout does to text that it should not: cut it off, put one text over another, or be wider than the window.

// In words, for each; what scrolls, or says with an ellipsis and a title that there is more, is not cut.
export const broken = (page) => page.evaluate(() => {
  const found = []
  const short = (text) => text.trim().replace(/\s+/g, ' ').slice(0, 60)
  const where = (at) => `${at.tagName.toLowerCase()}${at.className && typeof at.className === 'string' ? `.${at.className.trim().replaceAll(' ', '.')}` : ''}`
  const root = document.documentElement
  if (root.scrollWidth > innerWidth + 1) found.push(`wider than the window: ${root.scrollWidth}`)
  const texts = [] // { at, rect, text } of what can be seen, each line of it
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) {
    const node = walk.currentNode, at = node.parentElement
    if (!node.data.trim() || at.closest('.hidden-text, .skip, option, script, style, noscript, [hidden]')) continue
    if (!at.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    let seen = { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity } // what the boxes around it let through
    let scrolls = false
    for (let box = at; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box)
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue
      const { left, right, top, bottom } = box.getBoundingClientRect()
      scrolls ||= /auto|scroll/.test(style.overflowX + style.overflowY)
      seen = { left: Math.max(seen.left, left), right: Math.min(seen.right, right), top: Math.max(seen.top, top), bottom: Math.min(seen.bottom, bottom) }
    }
    for (const rect of range.getClientRects()) {
      if (rect.width < 1 || rect.height < 1) continue
      const inside = { left: Math.max(rect.left, seen.left), right: Math.min(rect.right, seen.right), top: Math.max(rect.top, seen.top), bottom: Math.min(rect.bottom, seen.bottom) }
      const cut = rect.width - (inside.right - inside.left) > 2 || rect.height - (inside.bottom - inside.top) > rect.height * 0.35
      if (cut && !scrolls && !at.closest('[title]')) found.push(`cut off: "${short(node.data)}" in ${where(at)}`)
      if (inside.right - inside.left > 2 && inside.bottom - inside.top > 2) texts.push({ at, rect: inside, text: short(node.data) })
    }
  }
  const fixed = (at) => at.closest('.top, .side, thead, .lost, .stopmenu, [popover]') // what stays when the rest scrolls stands over it
  texts.sort((a, b) => a.rect.top - b.rect.top)
  for (const [k, one] of texts.entries()) {
    for (let l = k + 1; l < texts.length && texts[l].rect.top < one.rect.bottom - 3; l++) {
      const other = texts[l]
      if (one.at === other.at || fixed(one.at) !== fixed(other.at)) continue
      const across = Math.min(one.rect.right, other.rect.right) - Math.max(one.rect.left, other.rect.left)
      const down = Math.min(one.rect.bottom, other.rect.bottom) - other.rect.top
      if (across > 3 && down > 0.3 * Math.min(one.rect.bottom - one.rect.top, other.rect.bottom - other.rect.top)) found.push(`over each other: "${one.text}" (${where(one.at)}) and "${other.text}" (${where(other.at)})`)
    }
  }
  for (const at of document.querySelectorAll('main button, main .button')) { // a word or two, one under the other
    if (!at.checkVisibility() || at.textContent.trim().length > 8) continue
    const range = document.createRange()
    range.selectNodeContents(at)
    const lines = [...range.getClientRects()].filter((one) => one.width > 1)
    if (lines.some((one) => lines.some((other) => other.top > one.bottom - 2))) found.push(`broken in lines: "${short(at.textContent)}" in ${where(at)}`)
  }
  for (const at of document.querySelectorAll('main button, main .button, main .state, main .tile, main .notice, main td, main th, main label, main legend, main dd, main dt')) {
    if (!at.checkVisibility()) continue
    if (at.scrollWidth > at.clientWidth + 2 && getComputedStyle(at).overflowX === 'visible' && at.clientWidth > 0 && getComputedStyle(at).display !== 'inline') found.push(`wider than its box: "${short(at.textContent)}" in ${where(at)}`)
  }
  return [...new Set(found)]
})
