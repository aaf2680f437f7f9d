import { describe, expect, test } from 'bun:test'
import { selfQuestions, type SelfQuestion } from '../../../src/library/quality/self-questions.ts'
import { checkGrowth } from '../../support/pages/check-growth.ts'
import { pageRow } from '../../support/store.ts'

type Files = Record<string, string>

async function asked(files: Files, limit = 100): Promise<SelfQuestion[]> {
  const rows = Object.entries(files).map(([path, text]) => pageRow(`doc://${path}`, text))
  async function* pages() {
    yield rows
  }
  return await selfQuestions(pages(), { limit })
}

/** Compares the questions, each written as "kind: question → place". */
async function check(files: Files, expected: string[]) {
  const found = (await asked(files)).map(
    ({ kind, question, url, startLine, endLine }) =>
      `${kind}: ${question} → ${url.replace('doc://', '')} ${startLine}-${endLine}`,
  )
  expect(found.sort()).toEqual(expected.sort())
}

describe('the questions of a page', () => {
  test('asks for headings and first sentences, with the lines of their section', async () => {
    await check(
      {
        'a.md':
          '# Boiler room\n\nThe boiler is lit before anything else is done. Then wait.\n\n' +
          '## Cold start\n\n- no prose\n\n## Example\n\nNo.\n',
      },
      [
        'heading: Boiler room → a.md 1-4',
        'sentence: The boiler is lit before anything else is done. → a.md 1-4',
        'heading: Cold start → a.md 5-8',
      ],
    )
  })

  test('asks for code names that occur in only one section', async () => {
    await check(
      {
        'a.md': '# One\n\n- `lightLamp()`, `--no-lamp`, `plain`, `shared_name`\n',
        'b.md': '# Two\n\n- `shared_name` and `$lookup` and `a b_c`\n',
      },
      [
        'symbol: lightLamp → a.md 1-3',
        'symbol: --no-lamp → a.md 1-3',
        'symbol: $lookup → b.md 1-3',
      ],
    )
  })

  test('omits a question that two sections answer', async () => {
    const text = '# Cold start\n\n- x\n'
    await check({ 'a.md': text, 'b.md': text }, [])
  })
})

test('returns the same questions for the same pages, equally many of each kind', async () => {
  const section = (i: number) =>
    `# Part number ${i}\n\nThis is the very first sentence of part ${i}. \`name_${i}\`\n\n`
  const files = { 'a.md': Array.from({ length: 40 }, (_, i) => section(i)).join('') }
  const found = await asked(files, 12)
  expect(found).toHaveLength(12)
  expect(Map.groupBy(found, ({ kind }) => kind).get('heading')).toHaveLength(4)
  expect(await asked(files, 12)).toEqual(found)
  const grown = await asked({ ...files, 'z.md': '# Another thing\n\n- x\n' }, 12)
  expect(
    grown.filter((it) => found.some((other) => Bun.deepEquals(it, other))).length,
  ).toBeGreaterThanOrEqual(10)
})

test('generates the questions of a page in linear time', async () => {
  const check = (text: (many: (piece: string) => string) => string) =>
    checkGrowth(
      (length) => `## Page of it\n\n${text((piece) => piece.repeat(length / piece.length))}\n`,
      (page) => asked({ 'a.md': page }),
      { length: 100_000, floorMs: 500 },
    )
  await check((many) => `\`A${'_A'.repeat(29)}!\` ${many('a ')}`)
  await check((many) => `## ${many('abc ab.')}1`)
  await check((many) => many('[abc](x'))
  await check((many) => many('[['))
  await check((many) => many('[abc](#a)\n## a\n'))
})
