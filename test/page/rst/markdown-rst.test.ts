import { expect, test } from 'bun:test'
import { markdownAsRst } from '../../../src/page/rst/markdown-rst.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

test('writes fences, inline code and links as rst', () => {
  const markdown =
    'Reads `a` and [b](https://b.example/).\n```python\nx = "`"\n\n  y\n```\n- ``c``\n' +
    '  ```\n  z\n  ```'
  expect(markdownAsRst(markdown).join('\n')).toBe(
    'Reads ``a`` and `b <https://b.example/>`_.\n\n.. code-block:: python\n\n   x = "`"\n\n' +
      '     y\n- ``c``\n\n  .. code-block::\n\n     z',
  )
})

test('keeps an rst link whose text begins on the line before', () => {
  const lines = 'ISO or a `UNIX\ntimestamp <https://t.example/>`_, or `None`.'
  expect(markdownAsRst(lines)).toEqual([
    'ISO or a `UNIX',
    'timestamp <https://t.example/>`_, or ``None``.',
  ])
})

test('takes time proportional to the length of the text', () => {
  for (const piece of ['`', '``', '[', '[a](', '```\n']) {
    const started = usedCpuMs()
    markdownAsRst(piece.repeat(40_000))
    expect(usedCpuMs() - started).toBeLessThan(1500)
  }
})
