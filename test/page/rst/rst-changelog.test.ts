import { expect, test } from 'bun:test'
import { simplifyRst } from '../../../src/page/rst/rst-text.ts'

test('shows notes below the version to which they belong, with tags and tickets', () => {
  const text = `.. changelog::
    :version: 2.0.1
    :released: May 1, 2026

    .. change::
        :tags: bug, orm
        :tickets: 12, 13

        Fixed :class:\`.Session\`.
`
  expect(simplifyRst(text).replace(/\n+/g, '|')).toBe(
    '|2.0.1|-----|Released: May 1, 2026|**[bug] [orm]**|Fixed ``Session``.|References: #12, #13|',
  )
})

test('shows a note without options as its text', () => {
  expect(simplifyRst('.. change::\n\n    Text\n').trim()).toBe('Text')
})
