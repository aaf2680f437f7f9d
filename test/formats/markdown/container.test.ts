import { expect, test } from 'bun:test'
import { parseContainer } from '../../../src/formats/markdown/container.ts'

const check = (line: string, shown: string | null, closer?: string) => {
  const found = parseContainer(line)
  expect(found?.replacement ?? null).toBe(shown)
  if (closer) expect(found?.closer).toBe(closer)
}

test('recognises containers of all dialects, with their title and closing mark', () => {
  check('!!! danger "Hot"', '**Hot**', 'indent')
  check('!!! note ""', '', 'indent')
  check('???+ my-kind inline end', '**My kind**', 'indent')
  check('===! "A tab"', 'A tab:', 'indent')
  check('::: tip', '**Tip**', ':::')
  check('::::{note}', '**Note**', '::::')
  check(':::tabs', '', ':::')
  check('//// tab | A', 'A:', '////')
  check('/// html | div.grid', '', '///')
  check('```{warning}', '**Warning**', '```')
  check('```{versionadded} 1.2 The thing', '**Added in version 1.2:** The thing')
  check(':::{deprecated} 1.2', '**Deprecated since version 1.2**')
  check(':::{card} A card', '**A card**')
  check('::::{grid} 1 2', '')
  check(':::section{.columns}', '')
  check(':::section[The parts]', '**The parts**')
})

test('ignores lines that open no container', () => {
  for (const line of [
    '```python',
    '```{code-block} py',
    '// comment',
    '!important',
    '== a',
    ': a',
    '',
  ]) {
    check(line, null)
  }
})
