import { describe, expect, test } from 'bun:test'
import { apiText, hasProse, shortName, traitsOf } from '../../src/chunk/api-text.ts'

test('embeds the name as words and the prose before the signature', () => {
  const content =
    '## `@lamp/oil.EventStore.storeEvent`\n\n```typescript\nstoreEvent<\n  T\n>(id: T): void\n```\n\n' +
    'Also `storeEvents`.\n\nStores an event.\nFor later.\n\n**Parameters**\n\n' +
    '- `id`: The number. It is unique.\n- `at`: When it happened.\n\n```ts\nstore(1)\n```\n'
  const heading = '@lamp/oil.EventStore > @lamp/oil.EventStore.storeEvent'
  expect(apiText({ title: '@lamp/oil.EventStore', heading, content })).toBe(
    'EventStore.storeEvent: event store store event\nStores an event. For later.\n' +
      '`id`: The number. `at`: When it happened.\nstoreEvent< T >(id: T): void',
  )
})

test('limits the signature and the prose', () => {
  const content = `# \`a\`\n\n\`\`\`ts\n${'x'.repeat(999)}\n\`\`\`\n\n${'word '.repeat(999)}`
  const text = apiText({ title: 'a', heading: 'a', content })
  expect(text.length).toBeLessThan(910)
  expect(text.startsWith('a\nword')).toBe(true)
  expect(text.endsWith('x'.repeat(200))).toBe(true)
})

test('names a member with its class, and a function without its module', () => {
  expect(shortName('zod.ZodString.min', 'zod.ZodString')).toBe('ZodString.min')
  expect(shortName('zod.ZodString', 'zod.ZodString')).toBe('ZodString')
  expect(shortName('zod/mini.string', 'zod/mini')).toBe('string')
  expect(shortName('serde_json::value::Value::get', 'serde_json::value::Value')).toBe('Value::get')
  expect(shortName('@lamp/oil', '@lamp/oil')).toBe('oil')
})

test('tells a symbol with a sentence from a bare signature', () => {
  const bare = '## `lamp.light`\n\n```python\ndef light(level: int) -> None\n```\n'
  expect(hasProse(bare)).toBe(false)
  expect(hasProse(`${bare}\nLights the lamp.\n`)).toBe(true)
})

describe('traitsOf', () => {
  const symbol = (code: string, prose: string) =>
    `## \`a.B\`\n\n\`\`\`ts\n${code}\n\`\`\`\n\n${prose}\n`
  const check = (content: string, traits: Partial<ReturnType<typeof traitsOf>>) =>
    expect(traitsOf(content)).toMatchObject(traits)

  test('recognises types and interfaces', () => {
    check(symbol('interface B', 'A lamp.'), { isType: true, isHidden: false, isBare: false })
    check(symbol('type B = string', 'A lamp.'), { isType: true })
    check(symbol('function b(): B', 'A lamp.'), { isType: false })
  })
  test('recognises symbols that are not for users', () => {
    check(symbol('class B', 'Not exported: only signatures mention it.'), { isHidden: true })
    check(symbol('class B', 'Internal: not meant for users.'), { isHidden: true })
  })
  test('recognises error classes, and members with computed names', () => {
    check(symbol('class B(ValueError)', 'A lamp.'), { isFailure: true, isComputed: false })
    check(symbol('class BError extends C', 'A lamp.'), { isFailure: true })
    check(symbol('class B(C)', 'Raises an Error.'), { isFailure: false })
    check('## `a.B.[Symbol.iterator]`\n\n```ts\n[Symbol.iterator]()\n```\n', { isComputed: true })
  })
  test('calls a symbol bare if only names follow its signature', () => {
    const names = 'Also `c.B`.\n\nInherited from `a.C`: `d`, `e`.'
    check(symbol('class B', names), { isBare: true, size: symbol('class B', '').length - 1 })
    check(symbol('class B', '**Attributes**\n\n- `lit`: Whether it is lit.'), { isBare: false })
  })
  test('does not count members of other types', () => {
    const members = '**Members** of `interface Oil`:\n- `size: number`: In litres.\n- 2 more\n'
    const bare = symbol('type B = Oil', '')
    check(symbol('type B = Oil', members), { isBare: true, size: bare.length })
    expect(apiText({ title: 'a', heading: 'a.B', content: symbol('type B = Oil', members) })).toBe(
      apiText({ title: 'a', heading: 'a.B', content: bare }),
    )
  })
  test('reads the first of several symbols', () =>
    check(symbol('class B', '') + symbol('type C', 'A lamp.'), { isBare: true, isType: false }))
})
