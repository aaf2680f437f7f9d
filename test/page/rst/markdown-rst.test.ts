import { expect, test } from 'bun:test'
import { markdownAsRst } from '../../../src/page/rst/markdown-rst.ts'

test('writes fences, inline code and links as rst', () => {
  const markdown =
    'Reads `a` and [b](https://b.example/).\n```python\nx = "`"\n\n  y\n```\n- ``c``\n' +
    '  ```\n  z\n  ```'
  expect(markdownAsRst(markdown).join('\n')).toBe(
    'Reads ``a`` and `b <https://b.example/>`_.\n\n.. code-block:: python\n\n   x = "`"\n\n' +
      '     y\n- ``c``\n\n  .. code-block::\n\n     z',
  )
})

test('takes time proportional to the length of the text', () => {
  for (const piece of ['`', '``', '[', '[a](', '```\n']) {
    const started = performance.now()
    markdownAsRst(piece.repeat(40_000))
    expect(performance.now() - started).toBeLessThan(1500)
  }
})
