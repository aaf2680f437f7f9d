import { expect, test } from 'bun:test'
import { expandIncludes } from '../../../src/references/include.ts'
import { includePartFromOptions } from '../../../src/formats/include/include-rst.ts'

const files: Record<string, string> = {
  'doc/code/x.py': '# start\nb = 1\n# end\n',
  'doc/part.rst': 'A *part*.\n',
}

async function check(text: string, expected: string): Promise<void> {
  const included = { from: 'doc/page.rst', read: async (path: string) => files[path] ?? null }
  expect(await expandIncludes(text, { files: included, dialect: 'rst' })).toBe(expected)
}

test('turns literalinclude into a code block with its part, language and caption', async () => {
  await check(
    '.. literalinclude:: code/x.py\n    :language: python3\n    :start-after: start\n' +
      '    :end-before: # end\n    :caption: It\n\nText',
    '.. code-block:: python3\n   :caption: It\n\n    b = 1\n\n\nText',
  )
  await check(
    '  .. literalinclude:: /code/x.py\n',
    '  .. code-block:: python\n\n      # start\n      b = 1\n      # end\n\n',
  )
  const asked = '.. literalinclude:: code/x.py\n   :pyobject: nope\n'
  await check(asked, asked)
})

test('replaces include by the text of the file, or by code', async () => {
  await check('a\n\n.. include:: part.rst\n\nb', 'a\n\n\nA *part*.\n\n\nb')
  await check('.. include:: part.rst\n   :code: rst\n', '.. code-block:: rst\n\n    A *part*.\n\n')
  await check(
    '.. include:: /part.rst\n   :start-line: 4\n',
    '.. include:: /part.rst\n   :start-line: 4\n',
  )
})

test('counts start-line from 0 and excludes end-line', () => {
  expect(
    includePartFromOptions(
      new Map([
        ['start-line', '1'],
        ['end-line', '3'],
      ]),
    ),
  ).toEqual({ lines: '2-3' })
})
