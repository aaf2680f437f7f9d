import { expect, test } from 'bun:test'
import { figureTables } from '../../scripts/build/figure-tables.ts'
import { parseResult, withFigures } from '../../scripts/build/figures.ts'
import type { Result } from '../../scripts/build/result.ts'
import { filesOf, readText } from '../support/tidy/source-file.ts'

function check(name: string, figures: unknown, expected: string[]): void {
  const result: Result = {
    name: figureTables[name]!.result,
    date: '2026-11-24T10:00:00.000Z',
    processor: 'Test CPU',
    threads: 2,
    load: 0.1,
    commit: '0123abcd',
    figures,
  }
  const text = (table: string) => `a\n<!-- figures: ${name} -->\n${table}<!-- /figures -->\nb\n`
  const written = withFigures(text('| old |\n|---|\n'), [result])
  expect(written).toStartWith(
    `a\n<!-- figures: ${name} -->\n| 24 November 2026, Test CPU, 2 threads, load 0.1, 0123abcd |`,
  )
  expect(written).toEndWith('\n<!-- /figures -->\nb\n')
  for (const line of expected) expect(written).toContain(`${line}\n`)
}

const one = { secondsMedian: 0.1612, peakMegabytes: 255.4 }
const all = { index: one, unchanged: one, secondVersion: one, query: one, list: one, help: one }

test('writes the times of commands, with and without another program', () => {
  check('commands', { ours: all, peer: null }, [
    '| `og query`, new process | 0.16 s | 255 MB |  |  |  |',
  ])
  const peer = { ...all, query: { secondsMedian: 2.4, peakMegabytes: 1264 } }
  check('commands', { ours: all, peer }, [
    '| `og query`, new process | 0.16 s | 255 MB | 2.4 s | 1,264 MB | 15 |',
  ])
})

test('writes a column for each instruction set that was measured', () => {
  const line = { kernel: 'topk', nRows: 1000, dims: 384, rowsPerSecond: 4_712_345 }
  const kernels = [
    { ...line, isa: 'js', ratio: 1 },
    { ...line, isa: 'avx2', ratio: 11.12 },
  ]
  check('kernels', { kernels }, ['| topk | 1,000 | 4.7 M | 11.1 × |'])
})

test('writes the judged questions of every question set', () => {
  const arm = {
    ndcg10: 0.6442,
    ndcg10Interval: [0.591, 0.7],
    mrr10: 0.5,
    hit1: 0.4,
    hit5: 0.7,
    hit10: 0.9,
    recall10: 0.89,
    hit5Served: 0.738,
  }
  const ray = { questions: 160, chunks: 4298, arms: { hybrid: arm, 'full-text': arm, vector: arm } }
  check('ranking', { ray }, [
    '| ray (160; 4,298) | 0.644 | 0.591-0.700 | 0.644 | 0.644 | 0.500 | 0.400 | 0.700 | 0.900 | 0.890 | 0.738 |',
  ])
})

test('writes the share of correct hits per confidence level', () => {
  const high = { answers: 77, right: 0.987 }
  const own = {
    high,
    medium: { answers: 2, right: 0.5 },
    weak: { answers: 0, right: 0 },
    lost: 0.01,
  }
  const foreign = { vite: { notHigh: 0.9, weak: 0.6 }, aws: { notHigh: 0.8, weak: 0.7 } }
  check('refusal', { ray: { own: { ray: own }, foreign } }, [
    '| ray | 0.987 of 77 | 0.500 of 2 |  | 1 | 85 | 65 |',
  ])
})

test('writes recall hits in percent, with Hit@1 in parentheses', () => {
  const recall = { hit1: 0.57, hit5: 0.735 }
  const lane = { all: recall, sharingWords: recall, paraphrased: { hit1: 0, hit5: 0 } }
  check('memory-recall', { questions: 200, 'full-text': lane, vector: lane, hybrid: lane }, [
    '| all: Hit@5 (Hit@1), % | 73.5 (57) | 73.5 (57) | 73.5 (57) |',
    '| paraphrased | 0 (0) | 0 (0) | 0 (0) |',
  ])
})

test('writes a column for each fitted set, and their mean', () => {
  const figures = {
    ray: { served: 0.643, leftOut: 0.633 },
    means: { served: 0.791, leftOut: 0.783 },
  }
  check('fit', figures, ['| left out | 0.633 | 0.783 |'])
})

test('writes the stages of a query and the first publication of an add', () => {
  const cold = [
    { name: 'start', ms: 16.71 },
    { name: 'embed query', ms: 24.24 },
  ]
  const warm = [{ name: 'embed query', ms: 5.8 }]
  const add = [{ name: 'publish generation', atMs: 2651 }]
  const figures = { load: 1, cold, warm, add }
  check('query-stages', figures, [
    '| start | 16.7 ms |  |',
    '| embed query | 24.2 ms | 5.8 ms |',
    '| together | 41.0 ms | 5.8 ms |',
  ])
  check('add-stages', figures, ['| publish generation | 2.65 s |'])
})

test('writes a row for each program, and says which one searches by words only', () => {
  const program = { version: '1.2', index: one, query: one }
  const programs = [
    { ...program, name: 'og', isEmbedding: true, findsPage: true },
    { ...program, name: 'other', isEmbedding: false, findsPage: false },
  ]
  check('peers', { runs: 5, programs }, [
    '| og 1.2 | words and meaning | yes | 0.16 s | 255 MB | 0.16 s | 255 MB |',
    '| other 1.2 | words only | no | 0.16 s | 255 MB | 0.16 s | 255 MB |',
  ])
})

test('does not change a table without a result', () => {
  const text = '<!-- figures: mcp -->\n| old |\n<!-- /figures -->\n'
  expect(withFigures(text, [])).toBe(text)
  const unknown = text.replace('mcp', 'attack')
  expect(withFigures(unknown, [])).toBe(unknown)
})

test('reads a result after the lines that npm prints, and rejects other files', () => {
  const result = { name: 'update', figures: {} }
  expect(parseResult(`\n> bench\n> node x\n\n${JSON.stringify(result)}\n`, 'r.json')).toEqual(
    result as Result,
  )
  expect(() => parseResult('{"name":"other","figures":{}}', 'r.json')).toThrow(
    'r.json has no result',
  )
  expect(() => parseResult('nothing', 'r.json')).toThrow('r.json has no result')
})

test('every table that the script writes is in one document, with the machine of the measurement', () => {
  const pages = ['README.md', ...filesOf('docs/**/*.md')].map(readText).join('\n')
  for (const name of Object.keys(figureTables)) {
    expect(pages.split(`<!-- figures: ${name} -->`)).toHaveLength(2)
  }
  const heads = [...pages.matchAll(/<!-- figures: [\w-]+ -->\n\| ([^|]*) \|/g)].map(
    ([, head]) => head,
  )
  expect(heads.length).toBeGreaterThan(10)
  expect(
    heads.filter((head) => !/^[\d to]*\d+ [A-Z][a-z]+ 20\d\d, .*[0-9a-f]{7}/.test(head!)),
  ).toEqual([])
})
