import { expect, test } from 'bun:test'
import { checkChoice } from '../../src/operation/field.ts'
import { operation } from '../../src/operation/operation.ts'

test('returns a value that is one of the choices', () => {
  expect(checkChoice('shell', 'fish', ['bash', 'fish'])).toBe('fish')
})

test('an operation runs only if its texts are among their choices', async () => {
  const paint = operation({
    name: 'paint',
    summary: 'paint a wall',
    input: {
      colour: { type: 'text', choices: ['red', 'green'], doc: 'a colour' },
      brush: { type: 'text', suggested: ['wide'], doc: 'a brush' },
    },
    run: async (_: null, { colour, brush }) => ({ value: `${colour} ${brush}`, notes: [] }),
    json: ({ value }) => value,
  })
  const run = (colour: string | null) => paint.run(null, { colour, brush: 'narrow' })
  expect((await run('red')).value).toBe('red narrow')
  expect((await run(null)).value).toBe('null narrow')
  await expect(run('blue')).rejects.toThrow(
    'Cannot use "blue" for colour: must be one of red, green',
  )
})
