import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..', '..')
const text = readFileSync(join(root, 'docs/parity/groundmemory.md'), 'utf8')
const rows = text
  .slice(text.indexOf("## Upstream's tests"))
  .split('\n')
  .filter((line) => /^\| \w+, /.test(line))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))

test('docs/parity/groundmemory.md lists every upstream test case once, with a verdict', () => {
  const counts = new Map<string, number>()
  const cases = rows.flatMap(([, place, names = '', verdict = '', why]) => {
    const own = names.split(', ')
    counts.set(verdict, (counts.get(verdict) ?? 0) + own.length)
    if (verdict !== 'same') expect(why).not.toBe('')
    return own.map((name) => `${place} ${name}`)
  })
  expect(new Set(cases).size).toBe(524)
  expect(cases).toHaveLength(524)
  const said =
    `${counts.get('same')} are the same, ${counts.get('better')} better, ` +
    `${counts.get('different')} different`
  expect(text.replaceAll('\n', ' ')).toContain(said)
})

test('every og test that the table names exists', () => {
  for (const [, , , , , ours = ''] of rows) {
    for (const [, file, names = ''] of ours.matchAll(/`([\w/-]+)`((?:[:,] "[^"]+")*)/g)) {
      const path = join(root, 'test', `${file}.test.ts`)
      expect([file, existsSync(path)]).toEqual([file, true])
      const source = readFileSync(path, 'utf8').replaceAll("\\'", "'")
      for (const [, name] of names.matchAll(/"([^"]+)"/g)) expect(source).toContain(name!)
    }
  }
})

test('every weakness has a row, and a numbered test in each file that the row names', () => {
  const weaknesses = [...text.matchAll(/^\| (\d+) \| [^|]+ \| ([^|]+) \|$/gm)]
  expect(weaknesses.map(([, number]) => Number(number))).toEqual(
    Array.from({ length: 57 }, (_, i) => i + 1),
  )
  for (const [, number, files] of weaknesses) {
    const named = new RegExp(`^test\\(.*weakness(?:es)? (?:\\d+(?:, | and ))*${number}\\b`, 'm')
    const paths = [...files!.matchAll(/`([\w/-]+)`/g)].map(([, path]) => path)
    expect(paths).not.toEqual([])
    const unnamed = paths.filter(
      (path) => !named.test(readFileSync(join(root, 'test', `${path}.test.ts`), 'utf8')),
    )
    expect([number, unnamed]).toEqual([number, []])
  }
})
