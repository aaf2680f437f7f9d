import { expect, test } from 'bun:test'
import { growthLimitFor } from '../../../src/document/growth.ts'
import { inlineToMarkdown, withoutRoles } from '../../../src/formats/rst/rst-inline.ts'
import { definitionsIn } from '../../../src/formats/rst/rst-part.ts'

const definitions = definitionsIn([
  '.. |s| replace:: :ref:`t`',
  '.. _My site: https://m.example',
  '.. _b: https://b.example',
])

const check = (text: string, expected: string) => {
  const context = { ...definitions, growth: growthLimitFor(100), titles: undefined }
  expect(inlineToMarkdown(text, context)).toBe(expected)
}

test('W-25: replaces roles with their text', () => {
  check(':ref:`the text <label>`, :doc:`/a/b`, :term:`x`', 'the text, a/b, x')
  check(':class:`~a.b.C` :py:meth:`x <a.f>` :func:`!g` :meth:`.h`', '`C` `x` `g` `h`')
  check(':pep:`8`, :ticket:`12`, :math:`x^2`', 'PEP 8, #12, $x^2$')
  check(':ref:`on two\n   lines <x>`.', 'on two lines.')
  check('Edit :file:`.profile` with :class:`.Editor`.', 'Edit `.profile` with `Editor`.')
  check('a |s| b', 'a t b')
  check(
    'Use :meth:`@send_task`, :meth:`@-send_task` or :func:`x.y``.',
    'Use `send_task`, `send_task` or `x.y`.',
  )
})

test('converts links, and finds the URLs that the page defines', () => {
  check('`Ray <https://ray.example/a>`_ or `x`', '[Ray](https://ray.example/a) or `x`')
  check(
    '`My site`_, b_, c_ and `d`_',
    '[My site](https://m.example), [b](https://b.example), c_ and d',
  )
  check('see [1]_ and a_b_', 'see [1] and a_b_')
})

test('keeps literals, escapes tags, and removes the backslashes of rst', () => {
  check('``:ref:`x``` and ``a``\\ s', '`` :ref:`x` `` and `a`s')
  check('a < b <c> <https://d.example> \\*e \\_f', 'a < b \\<c> <https://d.example> \\*e _f')
  check(':ref:`', ':ref:`')
})

test('replaces roles in code by their words', () => {
  expect(withoutRoles('a :ref:`b <c>` :file:`d`')).toBe('a b d')
})
