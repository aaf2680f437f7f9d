import { expect, test } from 'bun:test'
import { growthLimitFor } from '../../../src/document/growth.ts'
import { parseRst } from '../../../src/page/rst/parse-rst.ts'
import { linesWithoutRoles, withoutRoles } from '../../../src/page/rst/rst-role.ts'

const check = (text: string, expected: string) => expect(withoutRoles(text)).toBe(expected)

test('W-25: replaces roles with their text', () => {
  check(':ref:`the text <label>`, :doc:`/a/b`, :term:`x`', 'the text, a/b, x')
  check(':class:`~a.b.C` :py:meth:`x <a.f>` :func:`!g` :meth:`.h`', '``C`` ``x`` ``g`` ``h``')
  check(':pep:`8`, :ticket:`12`, :math:`x^2`', 'PEP 8, #12, $x^2$')
  check(':ref:`on two\n   lines <x>`.', 'on two lines.')
  check(':kbd:`Ctrl`', '``Ctrl``')
})

test('keeps literals, fields and links', () => {
  for (const text of ['``:ref:`x```', ':param x: y', '`a <https://x.org>`_', 'a:b`c`', ':ref:`']) {
    check(text, text)
  }
})

test('keeps the columns of tables aligned', () => {
  const grid = ['+------------+---+', '| :ref:`a`   | b |', '+------------+---+']
  expect(linesWithoutRoles(grid)[1]).toBe('| a          | b |')
  const simple = ['==========  ===', ':ref:`ab`   c', '==========  ===', '', ':ref:`d`']
  expect(linesWithoutRoles([simple[0]!, 'A           B', ...simple])[3]).toBe('ab          c')
  expect(linesWithoutRoles(simple).at(-1)).toBe('d')
})

test('takes the description from the text of a page before its directives are replaced', () => {
  const text = 'Title\n=====\n\nSee :doc:`guide`.\n\n.. note:: Careful.\n'
  const file = { path: 'a.rst', url: 'a', growth: growthLimitFor(text.length) }
  const parsed = parseRst(text, file)
  expect(parsed.written).toBe(withoutRoles(text))
  expect(parsed.text).not.toContain('.. note::')
  expect(parsed.markup).toBe('rst')
})

test('keeps the dot of a file name', () => {
  expect(withoutRoles('Edit :file:`.profile` with :class:`.Editor`.')).toBe(
    'Edit ``.profile`` with ``Editor``.',
  )
})

test('shows the name after the sign of an application, and ignores a second backtick', () => {
  check(
    'Use :meth:`@send_task`, :meth:`@-send_task` or :func:`x.y``.',
    'Use ``send_task``, ``send_task`` or ``x.y``.',
  )
  check(':func:`x` ``literal``', '``x`` ``literal``')
})
