import { expect, test } from 'bun:test'
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
