import { expect, test } from 'bun:test'
import { mkdocsToMarkdown } from '../../../src/sites/mkdocs/mkdocs-text.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

const site = {
  generator: 'mkdocs' as const,
  root: '',
  path: 'a.md',
  bases: [],
  title: null,
  isShared: false,
}

test('takes time proportional to the length of the page', () => {
  const variables = new Map([['a', 'b']])
  for (const piece of [
    '{',
    '{{',
    '`{:',
    ':material-',
    '{{ a',
    '[a]({{ a(',
    '{{ a(b="',
    '=== "',
    '```x exec="on"\n',
  ]) {
    const started = usedCpuMs()
    mkdocsToMarkdown(`${piece.repeat(40_000)}\n`, { site: { ...site, variables } })
    expect(usedCpuMs() - started).toBeLessThan(1500)
  }
})

test('keeps code unchanged except for variables', () => {
  const text = '```js\nconst a = {b: ":material-x:"} // {{ v }}\n```'
  expect(mkdocsToMarkdown(text, { site: { ...site, variables: new Map([['v', '1']]) } })).toBe(
    text.replace('{{ v }}', '1'),
  )
})

test('replaces a macro call by its arguments, and a link with a macro by its text', () => {
  const shown = (text: string) =>
    mkdocsToMarkdown(text, { site: { ...site, variables: new Map() } })
  expect(shown('{{ feature(beta="0.24") }} since `{{ a }}`')).toBe('beta 0.24 since `{{ a }}`')
  expect(shown('[core.yaml]({{ artifact(repo="x",file="core.yaml") }}) is')).toBe('core.yaml is')
  for (const kept of ['{{ evalCell(cells[c][r]) }}', "{{ code_block('a', 'b') }} c"])
    expect(shown(kept)).toBe(kept)
})
