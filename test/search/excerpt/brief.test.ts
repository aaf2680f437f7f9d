import { expect, test } from 'bun:test'
import { dropNoise, shortenExcerpt, symbolLine } from '../../../src/search/excerpt/brief.ts'

const focus = (...terms: string[]) => ({ terms, nameScore: () => 0 })
const filler = (n: number) => `Paragraph ${n} is about weather and nothing else.`.padEnd(200, ' x')

function brief(
  text: string,
  most: number,
  { terms = ['crank'], wantsCode = false, wantsExample = false } = {},
) {
  const asked = { focus: focus(...terms), most, wantsCode, wantsExample }
  return shortenExcerpt({ text, markup: 'markdown' }, asked)
}

test('keeps text that is short enough', () => {
  expect(brief('One crank.\n\nTwo.', 100)).toBe('One crank.\n\nTwo.')
})

test('keeps the block about the query and marks the gaps', () => {
  const text = [filler(1), filler(2), 'Wind the crank.', filler(3)].join('\n\n')
  const shown = brief(text, 230)
  expect(shown).toContain('Wind the crank.')
  expect(shown.length).toBeLessThanOrEqual(260)
  expect(brief(text, 20)).toBe('Wind the crank.')
})

test('keeps the sentence that introduces code with its code', () => {
  const code = 'Wind it so:\n\n```js\nwind(1)\n```'
  const text = ['A crank is round.', filler(1), filler(2), code, filler(3)].join('\n\n')
  const shown = brief(text, 120, { wantsCode: true })
  expect(shown).toContain(code)
  expect(shown).toContain('A crank is round.')
  expect(brief(text, 40)).not.toContain('wind(1)')
})

test('keeps the code with the words of a question for an example', () => {
  const output = 'The crank prints:\n\n```text\ncrank crank\n```'
  const code = 'Write:\n\n```js\ncrank(1)\n```'
  const text = [filler(1), output, filler(2), code, filler(3)].join('\n\n')
  expect(brief(text, 40, { wantsCode: true, wantsExample: true })).toBe(code)
})

test('omits the sentence before code that fits only without it', () => {
  const code = '```js\ncrank(1)\n```'
  const text = [filler(1), `${filler(2)}:`, code, filler(3)].join('\n\n')
  expect(brief(text, 100, { wantsCode: true })).toBe(code)
})

test('prefers further code to prose if the query asks for an example', () => {
  const code = (n: number) => `\`\`\`js\ncrank(${n})\n\`\`\``
  const prose = 'A crank is round.'
  const text = [code(1), filler(1), '## B', code(2), filler(2), prose].join('\n\n')
  expect(brief(text, 50, { wantsCode: true, wantsExample: true })).toContain('crank(2)')
  expect(brief(text, 50, { terms: ['round', 'crank'], wantsCode: true })).toContain(prose)
})

test('shows the code of a long list for an example', () => {
  const item = (n: number) => `${n}. ${filler(n)}`
  const code = '   ```js\n   crank(1)\n   ```'
  const text = [item(1), `2. Wind it:\n\n${code}`, item(3)].join('\n\n')
  expect(brief(text, 60, { wantsCode: true, wantsExample: true })).toBe(`2. Wind it:\n\n${code}`)
})

test('marks a gap once, also where the text already has a mark', () => {
  const text = [filler(1), '[…]', 'Wind the crank.', '[…]', filler(2), '[…]', filler(3)].join(
    '\n\n',
  )
  expect(brief(text, 60)).toBe('Wind the crank.')
  const shown = brief([filler(1), '[…]', filler(2), '[…]', 'Wind the crank.'].join('\n\n'), 230)
  expect(shown.match(/\[…\]/g)).toHaveLength(1)
})

test('keeps a label with the text below it', () => {
  const text = [filler(1), '**Warning**', 'Wind the crank.', filler(2), '**Returns**'].join('\n\n')
  expect(brief(text, 60)).toBe('**Warning**\n\nWind the crank.')
  expect(brief(text, 300)).not.toContain('Returns')
})

test('closes a fence that is cut to its best lines', () => {
  const lines = Array.from({ length: 60 }, (_, i) => `call_${i}(${i === 40 ? 'crank' : 'other'})`)
  const shown = brief(`\`\`\`py\n${lines.join('\n')}\n\`\`\``, 300, { wantsCode: true })
  expect(shown).toStartWith('```py\n')
  expect(shown).toEndWith('\n```')
  expect(shown).toContain('call_40(crank)')
  expect(shown.length).toBeLessThan(400)
})

test('cuts very long lines of a signature, and no other code', () => {
  const line = `f(${'a'.repeat(300)})`
  const fence = `\`\`\`ts\n${line}\n  b: string,\n\`\`\``
  const text = `## \`kit.f\`\n\n${fence}\n\nCalls.\n\n${fence}`
  const drop = (isApi: boolean) => dropNoise({ text, markup: 'markdown' }, { isApi })
  expect(drop(true)).toBe(text.replace(line, `${line.slice(0, 160)}…`))
  expect(drop(false)).toBe(text)
})

test('prefers code that passes the parameter of the query to its signature and to prose', () => {
  const signature = '## `kit.wind`\n\n```python\ndef wind(\n    crank=None,\n)\n```'
  const prose = 'Give a crank to wind it. The crank is round, and a crank is slow.'
  const code = '```python\nwind(crank=big)\n```'
  const text = [signature, prose, filler(1), code, filler(2)].join('\n\n')
  expect(brief(text, 60)).toBe(code)
  expect(brief(text, 60, { terms: ['round'] })).toContain('The crank is round')
})

test('prefers other code to code that ends in an error trace', () => {
  const trace = 'Traceback (most recent call last):\n...\nCrankError: no crank handle'
  const failing = `\`\`\`python\n>>> wind(crank=0, handle=0)\n${trace}\n\`\`\``
  const code = '```python\n>>> wind(crank=1)\n```'
  const text = [filler(1), failing, filler(2), code, filler(3)].join('\n\n')
  expect(brief(text, 90, { terms: ['crank', 'handl'] })).toBe(code)
})

test('puts the line of code that passes the parameter of the query on the line of a symbol', () => {
  const excerpt = (code: string) =>
    `## \`kit.wind\`\n\n\`\`\`python\ndef wind(crank=None)\n\`\`\`\n\nTurns.\n\n\`\`\`\n${code}\n\`\`\``
  const line = (code: string) =>
    symbolLine(excerpt(code), { terms: ['crank'], most: 120, page: { title: '', text: '' } })
  expect(line('>>> wind()\n>>> wind(crank=big)')).toBe(
    '`def wind(crank=None)`: Turns. `wind(crank=big)`',
  )
  expect(line('wind(crank=[\n  1])')).toBe('`def wind(crank=None)`: Turns.')
})

test('puts a symbol on one line with its first and its best sentence', () => {
  const listed = '- `on: 1`\n- `off: 1`\n- `dim: 1`\n'
  const line = (text: string, most = 120) => {
    const code = 'class Lamp extends Base\nnew Lamp(\n    oil: int,\n)'
    const excerpt = `## \`a.Lamp\`\n\n\`\`\`ts\n${code}\n\`\`\`${text}`
    const page = { title: 'a.Lamp', text: `${excerpt.slice(1)}\n\n**Attributes**\n\n${listed}` }
    return symbolLine(excerpt, { terms: ['crank'], most, page })
  }
  expect(line('')).toBe('`new Lamp(oil: int)`: Members: on, off, dim')
  expect(line('', 8)).toBe('`new Lamp(oil: int)`')
  const text = '\n\nIt is\nround. No news. Wind the crank.\n\n**Returns**: it\n\n- `a`: A list.\n'
  expect(line(text)).toBe(
    '`new Lamp(oil: int)`: It is round. […] Wind the crank. Members: on, off, dim',
  )
  expect(line(text, 20)).toBe('`new Lamp(oil: int)`: Wind the crank.')
  expect(line('\n\nThe crank that everybody in this house winds.', 20)).toBe(
    '`new Lamp(oil: int)`: The crank that […]',
  )
  expect(
    symbolLine('- `a`: A list.', { terms: [], most: 9, page: { title: 'a', text: '' } }),
  ).toBeNull()
})
