import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { openHtmlParts } from '../../../src/page/show/parts.ts'
import { safeHtml } from '../../../src/page/show/safe-html.ts'

function inParts(...pieces: string[]): string {
  const parts = openHtmlParts()
  return pieces.map((piece) => parts.add(piece)).join('') + parts.end()
}

const much = (letter: string) => `<p>${letter.repeat(7_000)}</p>`

test('keeps a short page whole, and splits a long one at headings', () => {
  expect(inParts('<h1>a</h1><p>b</p>')).toBe('<h1>a</h1><p>b</p>')
  const [a, b, c] = ['a', 'b', 'c'].map(much)
  expect(inParts(`<h1>a</h1>${a}<h2>b</h2>${b}<hr><h2>c</h2>${c}`)).toBe(
    `<h1>a</h1>${a}` +
      `<div class="part"><h2>b</h2>${b}<hr></div><div class="part"><h2>c</h2>${c}</div>`,
  )
})

test('splits a page without headings between blocks, and never inside an element', () => {
  const [a, b, c] = ['a', 'b', 'c'].map(much)
  expect(inParts(`${a}<b>t</b>${b}${c}`)).toBe(`${a}<b>t</b>${b}<div class="part">${c}</div>`)
  const inside = `<details>${a}<h2>b</h2>${b}${c}</details>`
  expect(inParts(inside)).toBe(inside)
})

test('keeps all content and closes each part for any markup', () => {
  const piece = fc.constantFrom(
    '<p>',
    '</p>',
    '<h2>',
    '<div>',
    '</div>',
    '<br>',
    '<table><td>',
    '<!--',
    '<script>',
    '</script>',
    '<b',
    'x',
    ' > "',
    '<a href="a<b">',
    'y'.repeat(5_000),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const safe = safeHtml(pieces.join(''))
      const parts = inParts(safe)
      const cut = safe.indexOf('<', safe.length / 2)
      expect(inParts(safe.slice(0, cut), safe.slice(cut))).toBe(parts)
      expect(parts.replaceAll('<div class="part">', '<div>').replaceAll(/<\/?div>/g, '')).toBe(
        safe.replaceAll(/<\/?div>/g, ''),
      )
      let depth = 0
      for (const [tag, slash] of parts.matchAll(/<(\/?)(?!br)[^<>]*>/g)) {
        if (tag === '<div class="part">') expect(depth).toBe(0)
        depth += slash === '' ? 1 : -1
      }
      expect(depth).toBe(0)
    }),
    { numRuns: 500 },
  )
})
