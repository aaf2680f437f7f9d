import { expect, test } from 'bun:test'
import { renderedDoc } from '../../../src/api/grammar/read-tree.ts'
import { rubyRules } from '../../../src/api/grammar/ruby-comment.ts'
import { cpuMs } from '../../support/pages/cpu-time.ts'

const read = (text: string, place = { nBefore: 1, nAfter: 1 }) => rubyRules.comment(text, place)
const check = (text: string, expected: string) =>
  expect(renderedDoc(read(text)!.doc)).toBe(expected)

test('converts the markup of RDoc', () => {
  check('# = Title\n# Sets +level+ to <tt>1</tt>.', '**Title**\nSets `level` to `1`.')
  check('# Use:\n#   lamp.on\n#     .off\n# Then:\n#', 'Use:\n\n    lamp.on\n      .off\nThen:')
  check('# * one\n#   two', '* one\n  two')
  check('# :nocov:\n# Text.', 'Text.')
})

test('converts the tags of YARD', () => {
  check(
    `# Lights {Lamp#on it} or {Lamp#off}.
# @example Slowly
#   lamp.on
# @param [Hash{Symbol => Array<String>}] opts how
# @option opts [Symbol] :mode (:slow) the mode
# @raise [LampError] without oil`,
    'Lights it or `Lamp#off`.\n\n**Example**\n\n```ruby\n# Slowly\nlamp.on\n```\n\n' +
      '**Parameters**\n\n- `opts` (`Hash{Symbol => Array<String>}`): how\n' +
      '- `:mode` (`Symbol`): (:slow) the mode\n\n**Raises**\n\n- (`LampError`): without oil',
  )
})

test('adds overloads to the signature', () => {
  const comment = read('# Lights.\n# @overload on(a)\n#   @param a [Integer] one')!
  expect(comment.signature).toBe('on(a)')
  expect(comment.doc.parameters).toEqual([{ name: 'a', type: 'Integer', text: 'one' }])
})

test('hides private symbols, and ignores comments that are not above a declaration', () => {
  expect(read('# Text.\n# @api private')).toMatchObject({ of: 'next', isHidden: true })
  expect(read('# :nodoc:', { nBefore: 0, nAfter: 1 })).toMatchObject({ of: 'previous' })
  expect(read('# Text.', { nBefore: 0, nAfter: 1 })).toBe(null)
  expect(read('# Text.', { nBefore: 1, nAfter: 2 })).toBe(null)
})

test('parses long comments without repeated searches', () => {
  for (const part of ['{A', '+', '<tt>', '# @param [', '# @option a [', '{A b', ' [x]', '::']) {
    const text = `# ${part.repeat(50_000)}\n${`# ${part}\n`.repeat(5000)}`
    expect(cpuMs(() => read(text))).toBeLessThan(3000)
  }
})
