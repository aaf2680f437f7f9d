import { expect, test } from 'bun:test'
import { addPacks } from '../../../../src/cli/commands/registry/add-pack.ts'
import type { Context } from '../../../../src/cli/context.ts'

const options = { as: null, trust: true, 'min-health': null, 'lock-timeout': 1, json: false }

test('rejects a library name beside packs, and --as with several packs', async () => {
  const context = {} as Context
  await expect(addPacks(context, ['a.ogpack', 'kettle'], options)).rejects.toThrow(
    'Cannot add "kettle" together with others',
  )
  const named = { ...options, as: 'x' }
  await expect(addPacks(context, ['a.ogpack', 'b.ogpack'], named)).rejects.toThrow(
    '--as cannot be used with several packs',
  )
  await expect(addPacks(context, ['kettle', '/usr/share/man'], options)).rejects.toMatchObject({
    hint: 'og add kettle --source /usr/share/man',
  })
})
