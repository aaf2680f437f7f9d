import { expect, test } from 'bun:test'
import { withoutFalseBranches } from '../../../src/formats/asciidoc/asciidoc-conditions.ts'

function check(text: string, expected: string, attributes: Record<string, string> = {}): void {
  const lines = withoutFalseBranches(text.split('\n'), new Map(Object.entries(attributes)))
  expect(lines.join('\n')).toBe(expected)
}

const kettle =
  'a\nifdef::copy[]\nwith button\nendif::copy[]\nifndef::copy[]\nplain\nendif::copy[]\nb'

test('keeps one of two alternatives, by the attributes of the site and of the page', () => {
  check(kettle, 'a\nplain\nb')
  check(kettle, 'a\nwith button\nb', { copy: '' })
  check(`:copy:\n${kettle}`, ':copy:\na\nwith button\nb')
})

test('keeps a block without alternative whose attribute is unknown', () => {
  check('ifdef::steam[]\nhot\nendif::[]', 'hot')
  check('ifdef::steam[shown here]', 'shown here')
  check('ifeval::["{a}" == "b"]\nx\nendif::[]', 'x')
})

test('removes a block for another output format', () => {
  check('ifdef::env-github[]\nx\nendif::[]\ny', 'y')
  check('ifdef::backend-pdf[x]\nifdef::backend-html5[y]', 'y')
  check('ifndef::backend-html5[]\nx\nendif::[]\ny', 'y')
})

test('evaluates nested blocks and lists of attributes', () => {
  check('ifdef::env-x[]\nifdef::a[]\nx\nendif::[]\nz\nendif::[]\ny', 'y', { a: '' })
  check('ifdef::env-x,a[]\nx\nendif::[]\nifdef::env-x+a[]\ny\nendif::[]', 'x', { a: '' })
  check('ifndef::a,b[]\nx\nendif::[]\ny', 'y', { b: '' })
})
