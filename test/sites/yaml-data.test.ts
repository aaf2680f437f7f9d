import { expect, test } from 'bun:test'
import { mapAt, scalarsOf, stringsOf, parseYamlData } from '../../src/sites/yaml-data.ts'

test('reads data in spite of unknown tags and repeated keys', async () => {
  expect(await parseYamlData('a: !!python/name:x.y\nb: 1\nb: 2\n')).toMatchObject({ b: 2 })
})

test('rejects lists, deep nesting and aliases that multiply', async () => {
  expect(await parseYamlData('- a')).toBeNull()
  expect(await parseYamlData(`a: ${'['.repeat(500_000)}`)).toBeNull()
  const bomb = [
    'a: &a [x]',
    ...Array.from({ length: 30 }, (_, i) => {
      const [name, last] = [`b${i}`, i === 0 ? 'a' : `b${i - 1}`]
      return `${name}: &${name} [*${last}, *${last}, *${last}]`
    }),
  ].join('\n')
  expect(await parseYamlData(bomb)).toBeNull()
})

test('reads nested values by their keys', () => {
  const map = { a: { b: 1, c: ['x'], d: { e: 'f' } }, g: true }
  expect(mapAt(map, 'a', 'd')).toEqual({ e: 'f' })
  expect(mapAt(map, 'x', 'd')).toEqual({})
  expect([...scalarsOf(map)]).toEqual([
    ['a.b', '1'],
    ['a.d.e', 'f'],
    ['g', 'true'],
  ])
  expect(stringsOf(['a', 1, 'b'])).toEqual(['a', 'b'])
  expect(stringsOf('a')).toEqual(['a'])
})

test('rejects aliases that repeat a value within itself', async () => {
  const keys = Array.from({ length: 20 }, (_, i) => `k${i}: *a`).join(', ')
  expect(await parseYamlData(`extra: &a {${keys}}`)).toBeNull()
  expect(await parseYamlData('a: &a {b: 1}\nc: *a\n')).toEqual({ a: { b: 1 }, c: { b: 1 } })
})
