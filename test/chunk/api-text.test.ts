import { expect, test } from 'bun:test'
import { apiText, hasProse, shortName } from '../../src/chunk/api-text.ts'

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
