import { expect, test } from 'bun:test'
import { referenceMark, rstToMarkdown } from '../../../src/api/docstring/rest.ts'

function check(text: string, expected: string) {
  expect(rstToMarkdown(text.split('\n'))).toBe(expected)
}

test('renders code and version directives', () => {
  check('.. code-block:: sh\n   :linenos:\n\n   lamp --on', '```sh\nlamp --on\n```')
  check('.. versionchanged:: 2.0\n   Brighter.', '**Changed in version 2.0:** Brighter.')
  check(
    '.. deprecated:: 2.0 Use `dim`\n    or `off`.\n\n  More.',
    '**Deprecated since version 2.0:** Use `dim`\nor `off`.\n\nMore.',
  )
  check('.. note:: Hot\n   lamps.\n\n   - one', '**Note:** Hot\nlamps.\n\n- one')
  check('.. warning::\n   - one', '**Warning**\n\n- one')
  check('Some :class:`Lamp`\\s', 'Some `Lamp`s')
  check('a\n\n.. image:: lamp.png\n   :alt: Lamp\n\nb', 'a\n\nb')
})

test('renders links, roles and literal blocks', () => {
  check(
    '`Lamps <https://example.org/>`_ and :py:meth:`~a.B.c`',
    '[Lamps](https://example.org/) and `c`',
  )
  check('see :ref:`old\n<lamps>`, use\n:func:`a.b()\n  <a.C.b>` or x', 'see old, use\n`a.b()` or x')
  check('see :func:`a\n\n`b`', 'see :func:`a\n\n`b`')
  check('Run::\n\n  lamp()\n\nEnd', 'Run:\n\n```python\nlamp()\n```\n\nEnd')
  check('.. _target: https://example.org/\nText', 'Text')
})

test('marks the labels of sections, and keeps the words of references', () => {
  check(
    ':ref:`guide_top`, :ref:`The top <guide_top>`',
    `${referenceMark}guide_top${referenceMark}, The top`,
  )
})
