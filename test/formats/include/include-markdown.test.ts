import { expect, test } from 'bun:test'
import { expandIncludes } from '../../../src/references/include.ts'

const files: Record<string, string> = {
  'x.py': 'import a\n\nb = 1\n',
  'x.ts': 'a\n// #region one\nb\n// #endregion one\n',
  'part.md': '---\nA\n',
  'ticks.md': '```\nx\n```\n',
  'app.html': '<p>\n',
}

async function check(text: string, expected: string): Promise<void> {
  const read = async (path: string) => files[path] ?? null
  const included = { from: 'page.md', read }
  expect(await expandIncludes(text, { files: included, dialect: 'markdown' })).toBe(expected)
}

const python = '```python\nimport a\n\nb = 1\n```'

test('includes files with MkDocs {* … *}, with line ranges and highlights', async () => {
  await check('{* x.py *}', python)
  await check('{* ./x.py hl[1] title["x.py"] *}', python)
  await check('{* x.py ln[3] hl[3] *}', '```python\nb = 1\n```')
  await check('    {* x.py ln[3] *}', '    ```python\n    b = 1\n    ```')
  await check('```\n{* x.py *}\n```', '```\n{* x.py *}\n```')
})

test('includes files with MkDocs {! … !} and {!> … !}, without a second fence inside a fence', async () => {
  await check(
    '```Python hl_lines="1"\n{!x.py!}\n```',
    '```Python hl_lines="1"\nimport a\n\nb = 1\n```',
  )
  await check('    ```py\n    {!> x.py!}\n    ```', '    ```py\n    import a\n\n    b = 1\n    ```')
  await check('```py\n{! x.py [ln:3] !}\n```', '```py\nb = 1\n```')
  await check('{!x.py!}', python)
  await check('{! part.md !}', '---\nA')
  await check('{! app.html !}', '<p>')
})

test('includes snippets with --8<--: a file, its lines, a section, several files', async () => {
  await check('```py\n--8<-- "x.py"\n```', '```py\nimport a\n\nb = 1\n```')
  await check('-8<- "x.py:3:3"', 'b = 1')
  await check('--8<-- "x.ts:one"', 'b')
  await check('--8<--\nx.py\n; x.ts\npart.md\n--8<--', 'import a\n\nb = 1\n---\nA')
  await check('--8<--\nx.py\ngone.md\n--8<--', '--8<--\nx.py\ngone.md\n--8<--')
  await check(';--8<-- "x.py"', ';--8<-- "x.py"')
})

test('includes files with VitePress <<< and @include, with region, highlights and language', async () => {
  await check('<<< @/x.ts', '```ts\na\nb\n```')
  await check('<<< ./x.ts#one{1,3-4 js:line-numbers} [title]', '```js\nb\n```')
  await check('<<< x.py{1}', python)
  await check('<!--@include: ./part.md{2,}-->', 'A')
  await check('<!-- @include: ./part.md -->', '---\nA')
})

test('includes files with MyST literalinclude and include fences', async () => {
  await check(
    '```{literalinclude} /x.py\n:language: python\n:lines: 3\n```\nz',
    '```python\nb = 1\n```\nz',
  )
  await check('~~~{include} part.md\n~~~', '---\nA')
  await check("```{include} part.md\n:start-after: '---'\n```", 'A')
  await check('```{include} part.md\n---\nstart-after: "---"\n---\n```', 'A')
  await check(
    '```{eval-rst}\n.. literalinclude:: x.py\n   :lines: 3\n```',
    '```{eval-rst}\n.. code-block:: python\n\n    b = 1\n\n```',
  )
})

test('keeps reStructuredText directives in fences of examples', async () => {
  for (const text of [
    '```rst\n.. include:: part.md\n```',
    '````md\n```{eval-rst}\n.. include:: part.md\n```\n````',
  ]) {
    await check(text, text)
  }
})

test('encloses an included file in a longer fence than any inside it', () =>
  check('```{literalinclude} ticks.md\n```', '````markdown\n```\nx\n```\n````'))
